import type { StreamEndedReading } from '../../a2a/reading.ts'
import { observation } from './event-type.ts'

const reasons = [
  'closed',
  'reset',
  'timeout',
] as const satisfies readonly StreamEndedReading['reason'][]

/** `a2a.stream-ended`: a stream ended without a terminal state. */
export const streamEnded = observation('a2a.stream-ended', (reader, root) => {
  if (root === undefined) return undefined
  const word = reader.word(root, 'reason')
  const reason = reasons.find((each) => each === word)
  if (reason === undefined) reader.refuse('data_foreign', `reason is none of ${reasons.join(', ')}`)
  return reason === undefined ? undefined : { kind: 'stream-ended', reason }
})
