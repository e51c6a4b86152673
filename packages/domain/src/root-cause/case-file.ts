/** An analysis, indexed once so that every cause looks facts up instead of searching them. */
import { coverageKnown, coverageOf, type Coverage } from '../capability/coverage.ts'
import { cardsOf } from '../capability/knowledge.ts'
import type { CardFact, ReportFact, TaskFact } from '../fact/fact.ts'
import { compareMoments } from '../fact/moment.ts'
import type { AttemptAnalysis, StateChange, TaskAnalysis, WorkerKnowledge } from '../task/analysis.ts'
import type { Kin } from '../task/family.ts'
import { isTerminal } from '../task/state.ts'
import type { Found } from './finding.ts'

/** One server task that the facts name; without `attempt` it was never seen positively. */
export interface ServerTask {
  readonly workerId: string
  readonly taskId: string
  readonly attempt?: AttemptAnalysis
}

/** What a worker said with a state, and where. */
export interface Statement {
  readonly position: number
  readonly text: string
}

/** One task sent on behalf of this one, and where its own explanation leads. */
export interface ChildCase {
  readonly analysis: TaskAnalysis
  readonly kin: Kin
  /** What leads the child's explanation, its own children's included; absent: nothing explains its state. */
  readonly lead?: Found
}

export interface CaseFile {
  readonly analysis: TaskAnalysis
  /** In the order of what tells of them. */
  readonly children: readonly ChildCase[]
  /** The facts that are about this task, in order of time. */
  readonly facts: readonly TaskFact[]
  readonly serverTasks: readonly ServerTask[]
  /** The attempt that gives the open logical task its state. */
  readonly standing?: AttemptAnalysis
  readonly factAt: (position: number | undefined) => TaskFact | undefined
  /** Facts about one server task, in order of time; sends are not among them. */
  readonly factsOf: (task: Pick<ServerTask, 'workerId' | 'taskId'>) => readonly TaskFact[]
  readonly workerOf: (task: { readonly workerId: string }) => WorkerKnowledge | undefined
  /** The card in force at a worker at one moment: the last complete one fetched by then. */
  readonly cardAt: (workerId: string, atMs: number) => CardFact | undefined
  /** How much of the worker's traffic was witnessed, this task included. */
  readonly coverageOf: (workerId: string) => Coverage
  /** True when the worker showed or lost this task in another logical task. */
  readonly isKnownElsewhere: (task: Pick<ServerTask, 'workerId' | 'taskId'>) => boolean
}

/** Indexes `analysis`; linear in its facts, but for putting them in order. */
export const openCase = (analysis: TaskAnalysis, children: readonly ChildCase[]): CaseFile => {
  const own = analysis.facts.filter((fact) => fact.refused?.code !== 'correlation_conflict')
  const facts = own.toSorted(compareMoments)
  const byPosition = new Map(analysis.facts.map((fact) => [fact.position, fact]))
  const byTask = new Map<string, TaskFact[]>()
  for (const fact of facts) {
    if (fact.workerId === undefined || fact.taskId === undefined || fact.kind === 'dispatch') continue
    const key = keyOf(fact.workerId, fact.taskId)
    const group = byTask.get(key)
    if (group === undefined) byTask.set(key, [fact])
    else group.push(fact)
  }
  const attempts = new Map(analysis.attempts.map((attempt) => [keyOf(attempt.workerId, attempt.taskId), attempt]))
  const unseen = [...byTask].flatMap(([key, [first]]): readonly ServerTask[] =>
    attempts.has(key) || first?.workerId === undefined || first.taskId === undefined
      ? []
      : [{ workerId: first.workerId, taskId: first.taskId }],
  )
  const standing = standingOf(analysis)
  const cardsAt = remembering((workerId) => cardsOf(analysis.workers.get(workerId)).filter(({ isValid }) => isValid))
  const tasksAt = remembering((workerId) => taskIdsOf(analysis.workers.get(workerId)))
  return {
    analysis,
    children,
    facts,
    serverTasks: [
      ...analysis.attempts.map((attempt) => ({ workerId: attempt.workerId, taskId: attempt.taskId, attempt })),
      ...unseen,
    ],
    ...(standing !== undefined && { standing }),
    factAt: (position) => (position === undefined ? undefined : byPosition.get(position)),
    factsOf: ({ workerId, taskId }) => byTask.get(keyOf(workerId, taskId)) ?? [],
    workerOf: ({ workerId }) => analysis.workers.get(workerId),
    cardAt: (workerId, atMs) => cardsAt(workerId).findLast((card) => card.atMs <= atMs),
    coverageOf: remembering((workerId) => coverageKnown(analysis.workers.get(workerId), coverageOf(analysis, workerId))),
    isKnownElsewhere: ({ workerId, taskId }) => tasksAt(workerId).has(taskId),
  }
}

const keyOf = (workerId: string, taskId: string): string => JSON.stringify([workerId, taskId])

/** `look`, asked once a worker. */
const remembering = <T>(look: (workerId: string) => T): ((workerId: string) => T) => {
  const known = new Map<string, { readonly value: T }>()
  return (workerId) => {
    const entry = known.get(workerId) ?? { value: look(workerId) }
    known.set(workerId, entry)
    return entry.value
  }
}

const taskIdsOf = (worker: WorkerKnowledge | undefined): ReadonlySet<string> =>
  new Set([
    ...(worker?.facts ?? []).flatMap((fact) => (fact.kind === 'answered' || fact.kind === 'listed' ? [fact.taskId] : [])),
    ...(worker?.losses ?? []).map(({ taskId }) => taskId),
  ])

const standingOf = ({ state, current, attempts }: TaskAnalysis): AttemptAnalysis | undefined => {
  if (isTerminal(state)) return undefined
  const isStanding = (attempt: AttemptAnalysis) => attempt.life === 'live' && attempt.state === state
  return current !== undefined && isStanding(current) ? current : attempts.findLast(isStanding)
}

/** The changes with which the attempt entered the state it is in, and what it said since then. */
export const lastRunOf = ({ changes }: AttemptAnalysis): readonly StateChange[] => {
  const state = changes.at(-1)?.state
  return changes.slice(changes.findLastIndex((change) => change.state !== state) + 1)
}

/** What the worker said with the state the attempt is in, the newest last. */
export const statementsOf = (file: CaseFile, attempt: AttemptAnalysis): readonly Statement[] => {
  if (!isTerminal(attempt.state)) return lastRunOf(attempt).flatMap(statementOf)
  return file
    .factsOf(attempt)
    .filter((fact): fact is ReportFact => fact.kind === 'report' && fact.state === attempt.state)
    .flatMap(statementOf)
}

const statementOf = ({ position, text }: { readonly position: number; readonly text?: string }) =>
  text === undefined || text.trim() === '' ? [] : [{ position, text }]

/** The state that witnesses had seen of the attempt before `atMs`. */
export const seenBefore = ({ changes }: AttemptAnalysis, atMs: number): StateChange | undefined =>
  changes.findLast((change) => change.atMs < atMs)
