/**
 * `not_accessible`: asked for under another scope or binding than it was created under (F7).
 *
 * A not-found under the creation's own scope and binding rules it out, and so does an answer that
 * showed the task under the other one. A bare 404 is about the route: under another scope or binding
 * it tells of no access, and under the own one it leaves open whether the task is still there; so does a
 * restart since the last life.
 *
 * What the ledger itself asked in another way than the client is no mistake of the client.
 */
import { observerSource } from '../../event/observer.ts'
import { restartsOf } from '../../capability/knowledge.ts'
import type { RestartFact } from '../../fact/fact.ts'
import { isAfter } from '../../fact/moment.ts'
import { isSign } from '../../task/attempt.ts'
import type { AttemptAnalysis, NotFound } from '../../task/analysis.ts'
import type { CaseFile, ServerTask } from '../case-file.ts'
import { becauseMax, positionsOf, type LossCause } from '../cause.ts'

export const notAccessible: LossCause = {
  cause: 'not_accessible',
  responsible: 'client',
  isWithoutLoss: true,
  explains: ['indeterminate'],
  says: 'task {task} was asked for under another tenant, credential or binding than the one it was created under',
  nextAction: 'Ask {worker} for task {task} again under the tenant, credential and binding that created it.',
  find: (task, file) => {
    const { attempt } = task
    if (attempt === undefined || attempt.notFounds.some(({ isForeign, isRoute }) => !isForeign && !isRoute)) return undefined
    const foreign = attempt.notFounds.filter(
      (miss) => miss.isForeign && !miss.isRoute && file.factAt(miss.position)?.source !== observerSource && !wasShownThere(miss, task, file),
    )
    if (foreign.length === 0) return undefined
    const unsure = attempt.notFounds.filter((miss) => !miss.isForeign && isAfter(miss, attempt.lastLife))
    const doubts = [...unsure, ...restartsBefore(foreign, attempt, file)].map(({ position }) => position)
    const missed = [...foreign.map(({ position }) => position), ...doubts].toSorted((left, right) => left - right)
    return {
      confidence: 'likely',
      because: positionsOf([attempt.firstSeenPosition, ...missed.slice(1 - becauseMax)]),
      ...(doubts.length > 0 && {
        unwitnessed: 'Whether {worker} still has task {task} nobody witnessed under the tenant, credential and binding that created it.',
      }),
    }
  },
}

/** Restarts since the last life that came before one of the questions: the worker may have lost the task. */
const restartsBefore = (foreign: readonly NotFound[], attempt: AttemptAnalysis, file: CaseFile): readonly RestartFact[] =>
  restartsOf(file.workerOf(attempt)).filter(
    (restart) => isAfter(restart, attempt.lastLife) && foreign.some((miss) => isAfter(miss, restart)),
  )

/** Somebody got the task shown under the scope and binding of the not-found: it is accessible there. */
const wasShownThere = (miss: NotFound, task: ServerTask, file: CaseFile): boolean => {
  const asked = file.factAt(miss.position)
  return file
    .factsOf(task)
    .some((fact) => isSign(fact) && fact.channel === 'answer' && fact.scope === asked?.scope && fact.binding === asked?.binding)
}
