/** What an observer has to know of the tasks of a worker that have not ended: what is asked next rests on it. */
import { policyOf, restartsOf } from '../capability/knowledge.ts'
import { isCanaryCorrelationId } from '../correlation/canary.ts'
import { isAfter } from '../fact/moment.ts'
import type { AttemptAnalysis, TaskAnalysis } from '../task/analysis.ts'
import { missingNotFounds } from '../task/life.ts'
import type { TaskState } from '../task/state.ts'
import { verdictInForce } from './answer.ts'

/** One server task that has not ended. */
export interface WatchedTask {
  readonly correlationId: string
  readonly taskId: string
  /** Over which binding it was created; absent: nobody said so. */
  readonly binding?: string
  /** The last that is known. */
  readonly state: TaskState
  /**
   * `live`: nothing speaks against it; `doubtful`: something does, and nothing is decided (`reobserve`, V6);
   * `settled`: lost, and decided or overtaken, so nothing waits for what it may still say.
   */
  readonly standing: 'live' | 'doubtful' | 'settled'
  /** When it was last seen alive, or, where it is not `live`, when that began. */
  readonly sinceMs: number
  /** Why it is to be asked about at once: what opened the doubt, or a restart since it was seen alive. */
  readonly urgentPosition?: number
  readonly lastLifeMs: number
  /** Distinct not-founds that are still missing for a loss, should it be one (F10, F11); 0 where it is none of those that count. */
  readonly missing: number
}

/** Those of the attempts at `workerId` that have not ended; none of the work of probes, which look after it themselves. */
export const watchedTasksOf = (analysis: TaskAnalysis, workerId: string): readonly WatchedTask[] =>
  isCanaryCorrelationId(analysis.correlationId)
    ? []
    : analysis.attempts.filter((attempt) => attempt.workerId === workerId && attempt.life !== 'ended').map((attempt) => watchedTaskOf(analysis, attempt))

const watchedTaskOf = (analysis: TaskAnalysis, attempt: AttemptAnalysis): WatchedTask => {
  const { taskId, binding, lastLife, state, doubt, life, contradictions } = attempt
  const base = {
    correlationId: analysis.correlationId,
    taskId,
    ...(binding !== undefined && { binding }),
    state,
    lastLifeMs: lastLife.atMs,
  }
  const worker = analysis.workers.get(attempt.workerId)
  if (life === 'live' && doubt === undefined) {
    const restart = restartsOf(worker).findLast((known) => isAfter(known, lastLife))
    return { ...base, standing: 'live', sinceMs: lastLife.atMs, ...(restart !== undefined && { urgentPosition: restart.position }), missing: 0 }
  }
  const opened = life === 'lost' ? attempt.firstNotFound : openingOf(analysis, doubt)
  const strong = attempt.notFounds.filter((notFound) => notFound.evidence === 'strong' && isAfter(notFound, lastLife))
  const { replicas } = policyOf(worker)
  return {
    ...base,
    standing: life === 'live' || isBeingAsked(analysis, attempt) ? 'doubtful' : 'settled',
    sinceMs: opened?.atMs ?? lastLife.atMs,
    ...(opened !== undefined && { urgentPosition: opened.position }),
    missing: doubt?.because === 'not-enough' ? missingNotFounds(strong, contradictions, replicas) : 0,
  }
}

const openingOf = ({ facts }: TaskAnalysis, doubt: AttemptAnalysis['doubt']) => facts.find(({ position }) => position === doubt?.positions[0])

/** Grace runs, or what is decided is not recorded yet. */
const isBeingAsked = (analysis: TaskAnalysis, { workerId, taskId }: AttemptAnalysis): boolean =>
  analysis.question?.workerId === workerId && analysis.question.taskId === taskId && verdictInForce(analysis) === undefined
