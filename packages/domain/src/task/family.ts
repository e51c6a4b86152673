/**
 * Which logical tasks were sent on behalf of which (parent and child).
 *
 * Three things tell it, the surest first: the child's events name the parent (`parentcorrelationid`);
 * a message of the child refers to a server task of the parent (`referenceTaskIds`); or the child was
 * sent within the trace of the parent (`traceparent`), by somebody else than the parent's sender and
 * while the parent was open – who sends two tasks in one trace made neither on behalf of the other.
 *
 * A family explains and merges nothing (K6): no rule of the fold looks at it.
 */
import type { DispatchFact } from '../fact/fact.ts'
import type { TaskAnalysis } from './analysis.ts'
import { isTerminal } from './state.ts'

/** What tells that one task was sent on behalf of another, the surest first. */
export type KinReason = 'stated' | 'reference' | 'trace'

export interface Kin {
  readonly correlationId: string
  readonly by: KinReason
  /** The event of the child that tells it. */
  readonly position: number
}

/** What a task is found by when families are put together. */
export interface KinMarks {
  /** Correlation IDs that its events name as parents. */
  readonly parents: readonly string[]
  /** Server tasks that its messages refer to, with the worker they were sent to. */
  readonly references: readonly { readonly workerId: string; readonly taskId: string }[]
  /** Traces its messages were sent in. */
  readonly traceIds: readonly string[]
}

/** Marks of one kind that are looked for, at most. */
const marksMax = 20

/** The marks of a task; each once, the first ones. */
export const kinMarksOf = ({ facts, correlationId }: Pick<TaskAnalysis, 'facts' | 'correlationId'>): KinMarks => {
  const own = facts.filter(({ refused }) => refused?.code !== 'correlation_conflict')
  const sends = own.filter((fact) => fact.kind === 'dispatch')
  const references = sends.flatMap(({ workerId, referenceTaskIds = [] }) =>
    workerId === undefined ? [] : referenceTaskIds.map((taskId) => ({ workerId, taskId })),
  )
  const parents = own.flatMap(({ parentCorrelationId: parent }) => (parent === undefined || parent === correlationId ? [] : [parent]))
  return {
    parents: [...new Set(parents)].slice(0, marksMax),
    references: [...new Map(references.map((reference) => [JSON.stringify(reference), reference])).values()].slice(0, marksMax),
    traceIds: [...new Set(sends.flatMap(({ traceId }) => traceId ?? []))].slice(0, marksMax),
  }
}

/**
 * The parents of `child` among `pool`, in the order of how sure they are; each once.
 *
 * A task id that the worker does not have is another worker's when exactly one task of the pool has it.
 */
export const parentsOf = (child: TaskAnalysis, pool: readonly TaskAnalysis[]): readonly Kin[] => {
  const { parents, references, traceIds } = kinMarksOf(child)
  if (parents.length === 0 && references.length === 0 && traceIds.length === 0) return []
  const others = pool.filter(({ correlationId }) => correlationId !== child.correlationId)
  const found = [...statedParents(child, parents, others), ...referredParents(child, others)]
  const known = found.length > 0 ? found : tracedParents(child, others)
  return [...new Map(known.toReversed().map((kin) => [kin.correlationId, kin])).values()].toReversed()
}

/** The children of `parent` among `pool`, in order of what tells of them. */
export const childrenOf = (parent: TaskAnalysis, pool: readonly TaskAnalysis[]): readonly Kin[] =>
  pool.length === 0 ? [] : (childrenAmong(pool.includes(parent) ? pool : [...pool, parent]).get(parent.correlationId) ?? [])

/** By correlation ID of the parent: `childrenOf` each of `pool`. Every child is looked at once. */
export const childrenAmong = (pool: readonly TaskAnalysis[]): ReadonlyMap<string, readonly Kin[]> => {
  const found = pool.flatMap((child) =>
    parentsOf(child, pool).map((kin) => ({ parent: kin.correlationId, kin: { ...kin, correlationId: child.correlationId } })),
  )
  const ordered = found.toSorted((left, right) => left.kin.position - right.kin.position)
  return new Map([...Map.groupBy(ordered, ({ parent }) => parent)].map(([parent, own]) => [parent, own.map(({ kin }) => kin)]))
}

const statedParents = (child: TaskAnalysis, parents: KinMarks['parents'], others: readonly TaskAnalysis[]): readonly Kin[] =>
  parents.flatMap((parent): readonly Kin[] => {
    const fact = child.facts.find(({ parentCorrelationId }) => parentCorrelationId === parent)
    const isKnown = others.some(({ correlationId }) => correlationId === parent)
    return fact === undefined || !isKnown ? [] : [{ correlationId: parent, by: 'stated', position: fact.position }]
  })

const sendsOf = ({ facts }: TaskAnalysis): readonly DispatchFact[] => facts.filter((fact) => fact.kind === 'dispatch')

const referredParents = (child: TaskAnalysis, others: readonly TaskAnalysis[]): readonly Kin[] =>
  sendsOf(child).flatMap(({ workerId, referenceTaskIds = [], position }) =>
    referenceTaskIds.flatMap((taskId): readonly Kin[] => {
      const having = others.filter(({ attempts }) => attempts.some((attempt) => attempt.taskId === taskId))
      const here = having.filter(({ attempts }) => attempts.some((attempt) => attempt.taskId === taskId && attempt.workerId === workerId))
      const isOwn = child.attempts.some((attempt) => attempt.taskId === taskId && attempt.workerId === workerId)
      const [parent, another] = here.length > 0 || isOwn ? here : having
      return parent === undefined || another !== undefined ? [] : [{ correlationId: parent.correlationId, by: 'reference', position }]
    }),
  )

const tracedParents = (child: TaskAnalysis, others: readonly TaskAnalysis[]): readonly Kin[] => {
  const first = sendsOf(child)
    .filter(({ traceId }) => traceId !== undefined)
    .toSorted((left, right) => left.atMs - right.atMs)[0]
  if (first === undefined) return []
  const senders = sendsOf(child).map(({ source }) => source)
  const around = others
    .map((parent) => ({ parent, sends: sendsOf(parent).filter(({ traceId, atMs }) => traceId === first.traceId && atMs < first.atMs) }))
    .filter(
      ({ parent, sends }) =>
        sends.length > 0 && endedMsOf(parent) > first.atMs && senders.some((sender) => sends.every(({ source }) => source !== sender)),
    )
  const sentMsOf = (sends: readonly DispatchFact[]) => sends.reduce((latest, { atMs }) => Math.max(latest, atMs), -Infinity)
  const nearest = around.toSorted((left, right) => sentMsOf(right.sends) - sentMsOf(left.sends))[0]
  return nearest === undefined
    ? []
    : [{ correlationId: nearest.parent.correlationId, by: 'trace', position: first.position }]
}

/** When the task ended as a whole, by the first end of its last attempt; never, while it is open. */
export const endedMsOf = ({ state, attempts }: TaskAnalysis): number =>
  isTerminal(state)
    ? attempts.reduce((latest, { changes }) => {
        const end = changes.find((change) => isTerminal(change.state))
        return end === undefined ? latest : Math.max(latest, end.effectiveMs)
      }, -Infinity)
    : Infinity
