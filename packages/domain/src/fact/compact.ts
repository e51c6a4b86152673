/**
 * Keeps the facts of one stream bounded (F1): of a run of neighbours that say the same, the first
 * and the last stay, and the last knows how many there were.
 */
import type { ReportFact, TaskFact } from './fact.ts'

/**
 * `facts` without the inside of its runs. Derives the same as the full set.
 *
 * Shape: one stream's facts, any order. Idempotent; compacting what was compacted counts on.
 */
export const compactFacts = (facts: readonly TaskFact[]): readonly TaskFact[] => {
  const kept: TaskFact[] = []
  for (const fact of facts.toSorted((left, right) => left.position - right.position)) {
    const last = kept.at(-1)
    const before = kept.at(-2)
    if (last === undefined || !saysTheSame(last, fact)) {
      kept.push(fact)
      continue
    }
    const isRun = last.run !== undefined || (before !== undefined && saysTheSame(before, last))
    if (isRun) kept.pop()
    const first = last.run ?? { firstPosition: before?.position ?? 0, firstMs: before?.atMs ?? 0, count: 2 }
    kept.push(isRun ? { ...fact, run: { ...first, count: first.count + (fact.run?.count ?? 1) } } : fact)
  }
  return kept
}

/**
 * True when `late` falls strictly inside a run that was compacted: its stream has to be read again
 * from the ledger, because what it lies between was left out.
 */
export const fallsInsideRun = (compacted: readonly TaskFact[], late: TaskFact): boolean =>
  compacted.some(
    ({ run, atMs, workerId, taskId }) =>
      run !== undefined &&
      workerId === late.workerId &&
      taskId === late.taskId &&
      run.firstMs < late.atMs &&
      late.atMs < atMs,
  )

/** Two reports of one state by one witness, the later one later by every clock, and nothing else said. */
const saysTheSame = (left: TaskFact, right: TaskFact): boolean =>
  isPlain(left) &&
  isPlain(right) &&
  left.atMs <= right.atMs &&
  (left.statusAtMs ?? left.atMs) <= (right.statusAtMs ?? right.atMs) &&
  samenessOf(left) === samenessOf(right)

const isPlain = (fact: TaskFact): fact is ReportFact =>
  fact.kind === 'report' &&
  fact.state !== undefined &&
  (fact.pieces ?? []).length === 0 &&
  fact.operation !== 'SendMessage' &&
  fact.operation !== 'SendStreamingMessage' &&
  fact.operation !== 'CancelTask' &&
  fact.notes === undefined &&
  fact.believed === undefined &&
  fact.refused === undefined &&
  fact.sequence === undefined &&
  fact.generation === undefined &&
  fact.messageId === undefined

const samenessOf = (fact: ReportFact): string =>
  JSON.stringify([
    fact.workerId,
    fact.taskId,
    fact.source,
    fact.streamId,
    fact.operation,
    fact.binding,
    fact.scope,
    fact.instance,
    fact.channel,
    fact.form,
    fact.contextId,
    fact.state,
    fact.text,
    fact.historyMessageId,
    fact.protocolVersion,
    fact.statusAtMs === undefined,
  ])
