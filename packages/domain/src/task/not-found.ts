/**
 * What a not-found says about one attempt, once it is known how the attempt was created and what
 * else its worker answered (F6, lowered and raised by F7).
 */
import type { AnsweredFact, ErrorFact } from '../fact/fact.ts'
import { compareMoments } from '../fact/moment.ts'
import type { NotFound, WorkerKnowledge } from './analysis.ts'

/** Under which scope and binding an attempt was created; a missing attribute is never a mismatch. */
export interface Creation {
  readonly scope?: string
  readonly binding?: string
}

/** Every not-found about the attempt with its final evidence, in order of time. */
export const judgeNotFounds = (
  errors: readonly ErrorFact[],
  taskId: string,
  creation: Creation,
  worker: WorkerKnowledge | undefined,
): readonly NotFound[] =>
  errors
    .filter(({ evidence }) => evidence !== 'none')
    .toSorted(compareMoments)
    .map((error) => {
      const isForeign = differs(error.scope, creation.scope) || differs(error.binding, creation.binding)
      const isRoute = isBareRouteError(error) && !isRouteProved(error, taskId, worker)
      const isStrong = error.evidence === 'strong' || (isBareRouteError(error) && !isRoute)
      return {
        position: error.position,
        atMs: error.atMs,
        evidence: isStrong && !isForeign ? 'strong' : 'weak',
        isForeign,
        codeSpace: error.codeSpace,
        isRoute,
        ...(error.instance !== undefined && { instance: error.instance }),
        ...(error.operation !== undefined && { operation: error.operation }),
        ...(error.code !== undefined && { code: error.code }),
      }
    })

const differs = (asked: string | undefined, created: string | undefined): boolean =>
  asked !== undefined && created !== undefined && asked !== created

/** A 404 that no A2A error body explains: it may be the route and not the task. */
const isBareRouteError = (error: ErrorFact): boolean => error.name === 'RouteNotFound' && error.evidence === 'weak'

/**
 * F7: the route of a bare 404 to GetTask is proved by an answer to GetTask for another task, at the
 * same worker, binding and scope, at or after that time. A never-issued id answered alike proves
 * nothing, and neither does a send.
 */
const isRouteProved = (error: ErrorFact, taskId: string, worker: WorkerKnowledge | undefined): boolean =>
  error.operation === 'GetTask' &&
  (worker?.facts ?? []).some(
    (fact): fact is AnsweredFact =>
      fact.kind === 'answered' &&
      fact.taskId !== taskId &&
      fact.binding === error.binding &&
      fact.scope === error.scope &&
      fact.atMs >= error.atMs,
  )
