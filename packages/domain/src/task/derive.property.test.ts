import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compactFacts, fallsInsideRun } from '../fact/compact.ts'
import type { TaskFact } from '../fact/fact.ts'
import { decide } from '../reconcile/decide.ts'
import { anyHistory, anyIncompleteHistory, atDistinctTimes, laterLines, lostHistory, openHistory } from '../testing/arbitrary-history.ts'
import { inputOf, recorded, taskAfter, workersOf, type Line } from '../testing/history.ts'
import { runCount, seed } from '../testing/seed.ts'
import { undefinedMembersOf } from '../testing/undefined-members.ts'
import type { TaskAnalysis, TaskInput } from './analysis.ts'
import { deriveTask } from './derive.ts'
import { isTerminal } from './state.ts'
import { taskView } from './view.ts'

const runs = { numRuns: runCount, seed }
const timeoutMs = 60_000

/** Everything that is concluded; the facts themselves are what may differ. */
const conclusionsOf = (analysis: TaskAnalysis) => {
  const { facts: _facts, workers: _workers, ...conclusions } = analysis
  return structuredClone({ ...conclusions, view: taskView(analysis, new Map()) })
}
const derived = (input: TaskInput, facts: readonly TaskFact[] = input.facts) => conclusionsOf(deriveTask({ ...input, facts }))

/** Nothing late lies inside a run of the other part; a caller would read the whole set again (F1). */
const canBeUnited = (left: readonly TaskFact[], right: readonly TaskFact[]): boolean =>
  !left.some((fact) => fallsInsideRun(right, fact)) && !right.some((fact) => fallsInsideRun(left, fact))

/** What is said, without the positions that it rests on. */
const saidOf = (task: TaskAnalysis) => ({
  state: task.state,
  lastObserved: task.lastObserved,
  current: task.current && [task.current.workerId, task.current.taskId],
  attempts: task.attempts
    .map(({ workerId, taskId, state, life, contested, contextId, conforms, contradictions }) => ({ workerId, taskId, state, life, contested, contextId, conforms, contradictions }))
    .toSorted(byText),
  dispatches: task.dispatches.map(({ atMs, outcome, taskId }) => ({ atMs, outcome, taskId })),
  artifacts: task.artifacts
    .map(({ key, divergent, canonical, variants }) => [key, divergent, ...[canonical, ...variants].map(({ workerId, taskId, bytes, complete, because }) => [workerId, taskId, bytes, complete, because])])
    .toSorted(byText),
  divergences: task.divergences.map(({ kind }) => kind),
  violations: task.violations.map(({ code }) => code).toSorted(),
  question: task.question && [task.question.about, task.question.workerId, task.question.taskId, task.question.dueMs, task.question.duplicateRisk],
  duplicates: task.duplicateExecutions.map((pair) => pair.map(({ workerId, taskId }) => [workerId, taskId])).toSorted(byText),
})
const byText = (left: unknown, right: unknown): number => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1)

describe(`any history, seed ${seed}`, { timeout: timeoutMs }, () => {
  it('F1 merging is union: order and duplicates of facts change nothing', () => {
    fc.assert(
      fc.property(anyHistory, fc.infiniteStream(fc.nat()), (lines, numbers) => {
        const input = inputOf(lines)
        const shuffled = [...input.facts, ...input.facts.filter(() => Number(numbers.next().value) % 3 === 0)]
          .map((fact) => ({ fact, key: Number(numbers.next().value) }))
          .toSorted((left, right) => left.key - right.key)
          .map(({ fact }) => fact)
        const workers = new Map([...input.workers].toReversed().map(([id, known]) => [id, { ...known, facts: [...known.facts, ...known.facts].toReversed() }]))
        expect(derived({ ...input, workers }, shuffled)).toEqual(derived(input))
      }),
      runs,
    )
  })

  it('F1 two partial sets united derive what the whole set derives', () => {
    fc.assert(
      fc.property(anyHistory, fc.func(fc.boolean()), (lines, isOfFirst) => {
        const input = inputOf(lines)
        const [first, second] = [input.facts.filter(({ position }) => isOfFirst(position)), input.facts.filter(({ position }) => !isOfFirst(position))]
        expect(derived(input, [...second, ...first])).toEqual(derived(input))
      }),
      runs,
    )
  })

  it('F1 the compacted set derives what the whole set derives', () => {
    fc.assert(
      fc.property(anyHistory, (lines) => {
        const input = inputOf(lines)
        const compacted = compactFacts(input.facts)
        expect(derived(input, compacted)).toEqual(derived(input))
        expect(compactFacts(compacted)).toEqual(compacted)
      }),
      runs,
    )
  })

  it('F1 a set compacted piece by piece derives what the whole set derives', () => {
    fc.assert(
      fc.property(anyHistory, fc.nat(100), (lines, percent) => {
        const input = inputOf(lines)
        const at = Math.floor((input.facts.length * percent) / 100)
        const [before, after] = [compactFacts(input.facts.slice(0, at)), input.facts.slice(at)]
        if (!canBeUnited(before, after)) return
        expect(derived(input, compactFacts([...before, ...after]))).toEqual(derived(input))
      }),
      runs,
    )
  })

  it('F1 two compacted streams that a link unites derive what the whole set derives', () => {
    fc.assert(
      fc.property(anyHistory, fc.func(fc.boolean()), (lines, isOfFirst) => {
        const input = inputOf(lines)
        const first = compactFacts(input.facts.filter(({ position }) => isOfFirst(position)))
        const second = compactFacts(input.facts.filter(({ position }) => !isOfFirst(position)))
        if (!canBeUnited(first, second)) return
        expect(derived(input, [...first, ...second])).toEqual(derived(input))
      }),
      runs,
    )
  })

  it('F3 appended in another order the same history says the same, where no two times are equal', () => {
    fc.assert(
      fc.property(atDistinctTimes, fc.infiniteStream(fc.nat()), (lines, numbers) => {
        const shuffled = lines
          .map((line) => ({ line, key: Number(numbers.next().value) }))
          .toSorted((left, right) => left.key - right.key)
          .map(({ line }) => line)
        expect(saidOf(taskAfter(shuffled))).toEqual(saidOf(taskAfter(lines)))
      }),
      runs,
    )
  })

  it('F1 deriving, viewing and deciding never throw, and an incomplete task is never decided on', () => {
    fc.assert(
      fc.property(anyIncompleteHistory, (lines) => {
        const task = taskAfter(lines)
        taskView(task, new Map())
        expect([task.incomplete.length, decide(task, workersOf(lines))]).toEqual([1, undefined])
      }),
      runs,
    )
  })

  it('F1 what is not known is absent and not undefined, in what is derived, viewed and decided', () => {
    fc.assert(
      fc.property(anyHistory, (lines) => {
        const task = taskAfter(lines)
        expect(undefinedMembersOf([task, taskView(task, new Map()), decide(task, workersOf(lines)) ?? 'nothing'])).toEqual([])
      }),
      runs,
    )
  })

  it('F5 an attempt that ended stays as it ended, whatever is told later', () => {
    fc.assert(
      fc.property(anyHistory, laterLines, (lines, later) => {
        const before = taskAfter(lines)
        const after = taskAfter([...lines, ...later])
        for (const { workerId, taskId, state, life } of before.attempts.filter((attempt) => isTerminal(attempt.state))) {
          const same = after.attempts.find((attempt) => attempt.workerId === workerId && attempt.taskId === taskId)
          expect([same?.state, same?.life]).toEqual([state, life])
        }
      }),
      runs,
    )
  })

  it('F14 a completed task stays completed, whatever is told later', () => {
    fc.assert(
      fc.property(anyHistory, laterLines, (lines, later) => {
        if (taskAfter(lines).state !== 'completed') return
        expect(taskAfter([...lines, ...later]).state).toBe('completed')
      }),
      runs,
    )
  })

  it('F8 nothing is failed unless a report said failed', () => {
    fc.assert(
      fc.property(anyHistory, (lines) => {
        const { state, attempts, facts } = taskAfter(lines)
        const hasFailed = facts.some((fact) => fact.kind === 'report' && fact.state === 'failed')
        if (hasFailed) return
        expect([state, ...attempts.map((attempt) => attempt.state)]).not.toContain('failed')
      }),
      runs,
    )
  })

  it('F16 not-founds alone make nothing terminal but the trusted card, and that stays indeterminate', () => {
    fc.assert(
      fc.property(openHistory, (lines) => {
        const { state, terminal, attempts, workers, question } = taskAfter(lines)
        const isTrusted = [...(workers.get(question?.workerId ?? '')?.facts ?? [])].some((fact) => fact.kind === 'enrolled' && fact.trust === 'card')
        expect(attempts.some(({ life }) => life === 'ended')).toBe(false)
        if (terminal) expect([state, isTrusted]).toEqual(['indeterminate', true])
      }),
      runs,
    )
  })

  it('V4 a decision that was recorded is not taken again', () => {
    fc.assert(
      fc.property(lostHistory, (lines) => {
        const decision = decide(taskAfter(lines), workersOf(lines))
        if (decision === undefined) return
        const after: readonly Line[] = [...lines, recorded(decision, { at: 90 })]
        expect(decide(taskAfter(after), workersOf(after))).toBeUndefined()
      }),
      runs,
    )
  })
})
