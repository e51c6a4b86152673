/**
 * What a worker claims of the past of its task (A2A v1.1 `timeline`), held against what witnesses saw. It orders
 * nothing and decides nothing (F3): a claim that contradicts itself or a witness is shown as that.
 */
import type { ReportFact } from '../fact/fact.ts'
import type { ClaimedStates, Violation } from './analysis.ts'
import type { Ordered } from './order.ts'
import { isTerminal, rankOf, type TaskState } from './state.ts'

/** The newest claim among `ordered`; absent where the worker makes none. */
export const claimedOf = (ordered: readonly Ordered[]): ClaimedStates | undefined => {
  const reports = reportsOf(ordered)
  const told = reports.findLast(({ timeline }) => timeline !== undefined)
  if (told?.timeline === undefined) return undefined
  const { states, isWhole = false, isUnordered = false } = told.timeline
  return { position: told.position, states, isWhole, isUnordered, lacks: isWhole ? lackingIn(states, reports, told) : [] }
}

/** Claims that no task can go through, each where it was first made. */
export const brokenClaimsOf = (ordered: readonly Ordered[]): readonly Violation[] => {
  const violations = new Map<string, Violation>()
  for (const { position, timeline } of reportsOf(ordered)) {
    const broken = timeline === undefined ? undefined : firstBreakOf(timeline.states)
    if (broken === undefined) continue
    const detail = `The worker's own timeline has ${broken.to} after ${broken.from}.`
    if (violations.has(detail)) continue
    violations.set(detail, { code: isTerminal(broken.from) ? 'terminal_left' : 'state_regressed', position, detail })
  }
  return [...violations.values()]
}

const reportsOf = (ordered: readonly Ordered[]): readonly ReportFact[] =>
  ordered.flatMap(({ fact }) => (fact.kind === 'report' ? [fact] : []))

/** States that were seen by the time of the claim, in order of first sight, and that it does not have. */
const lackingIn = (states: readonly TaskState[], reports: readonly ReportFact[], told: ReportFact): readonly TaskState[] => {
  const seen = reports.flatMap((report) =>
    report.state === undefined || report.state === 'unknown' || !isCoveredBy(report, told) ? [] : [report.state],
  )
  return [...new Set(seen)].filter((state) => !states.includes(state))
}

/**
 * True where the worker itself says that the report is no newer than the claim: only its own counter and clock tell,
 * since what was seen first need not have happened first.
 */
const isCoveredBy = (report: ReportFact, told: ReportFact): boolean => {
  if (report.position === told.position) return true
  if (report.generation !== undefined && told.generation !== undefined) return report.generation <= told.generation
  return (report.statusAtMs ?? Infinity) <= (told.statusAtMs ?? -Infinity)
}

const firstBreakOf = (states: readonly TaskState[]): { readonly from: TaskState; readonly to: TaskState } | undefined => {
  for (const [index, to] of states.entries()) {
    const from = states[index - 1]
    if (from !== undefined && (isTerminal(from) || rankOf(to) < rankOf(from))) return { from, to }
  }
  return undefined
}
