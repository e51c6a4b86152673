/** `retention_expired`: the retention that the card declared, or else a probe measured, ran out between last life and first not-found. */
import { verifiedOf } from '../../capability/verified.ts'
import { positionsOf, type LossCause } from '../cause.ts'

export const retentionExpired: LossCause = {
  cause: 'retention_expired',
  responsible: 'worker',
  isWithoutLoss: false,
  explains: ['indeterminate'],
  says: 'worker {worker} dropped task {task} when its retention ran out',
  nextAction: 'Answer or poll tasks of {worker} within its retention, or have it keep open tasks longer.',
  find: ({ attempt }, file) => {
    const missed = attempt?.firstStrongNotFound
    if (attempt === undefined || missed === undefined) return undefined
    const card = file.cardAt(attempt.workerId, missed.atMs)
    const measured = verifiedOf(file.workerOf(attempt), missed.atMs).measured.retentionSeconds
    const retention =
      card?.retentionSeconds === undefined ? measured : { value: card.retentionSeconds, position: card.position }
    if (retention === undefined || missed.atMs - attempt.lastLife.atMs < retention.value * 1_000) return undefined
    return {
      confidence: 'likely',
      because: positionsOf([retention.position, attempt.lastLife.position, missed.position]),
      restsOn: { fromMs: attempt.lastLife.atMs, toMs: missed.atMs },
    }
  },
}
