/**
 * `media_type_drift`: the media types of one artifact, or of one skill, are others than before, from
 * the same worker and under the same card. Dated by the emission with which it began.
 */
import { driftsOf } from '../../capability/drift.ts'
import { positionsOf, type OtherCause } from '../cause.ts'

export const mediaTypeDrift: OtherCause = {
  cause: 'media_type_drift',
  responsible: 'worker',
  says: 'worker {worker} changed the media type of its output under an unchanged card',
  nextAction: 'Have {worker} emit the media types its card declares, or publish a new card.',
  find: ({ analysis }) =>
    driftsOf(analysis).map(({ workerId, from, to }) => ({
      confidence: 'strong',
      because: positionsOf([from.position, to.position]),
      workerId,
      since: { position: to.position, atMs: to.atMs },
    })),
}
