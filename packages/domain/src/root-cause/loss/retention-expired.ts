/** `retention_expired`: the retention the card declared ran out between last life and first not-found. */
import { positionsOf, type LossCause } from '../cause.ts'

export const retentionExpired: LossCause = {
  cause: 'retention_expired',
  responsible: 'worker',
  isWithoutLoss: false,
  explains: ['indeterminate'],
  says: 'worker {worker} dropped task {task} when the retention that its card declares ran out',
  nextAction: 'Answer or poll tasks of {worker} within its declared retention, or have it keep open tasks longer.',
  find: ({ attempt }, file) => {
    const missed = attempt?.firstStrongNotFound
    if (attempt === undefined || missed === undefined) return undefined
    const card = file.cardAt(attempt.workerId, missed.atMs)
    if (card?.retentionSeconds === undefined) return undefined
    if (missed.atMs - attempt.lastLife.atMs < card.retentionSeconds * 1_000) return undefined
    return {
      confidence: 'likely',
      because: positionsOf([card.position, attempt.lastLife.position, missed.position]),
      restsOn: { fromMs: attempt.lastLife.atMs, toMs: missed.atMs },
    }
  },
}
