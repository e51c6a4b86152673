import { defined } from '../../a2a/defined.ts'
import type { NoAnswerReading } from '../../a2a/reading.ts'
import { observation } from './event-type.ts'

const reasons = [
  'timeout',
  'refused',
  'reset',
  'aborted',
  'dns',
  'tls',
] as const satisfies readonly NoAnswerReading['reason'][]

/** `a2a.no-answer`: the call named by `operation` got no A2A answer. */
export const noAnswer = observation('a2a.no-answer', (reader, root) => {
  if (root === undefined) return undefined
  const word = reader.word(root, 'reason')
  const reason = reasons.find((each) => each === word)
  if (reason === undefined) reader.refuse('data_foreign', `reason is none of ${reasons.join(', ')}`)
  const afterMs = reader.member(root, 'afterMs')?.number
  return reason === undefined ? undefined : { kind: 'no-answer', reason, ...defined({ afterMs }) }
})
