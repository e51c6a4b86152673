import { readAnswer } from '../../a2a/answer.ts'
import { observation } from './event-type.ts'

/** `a2a.stream-response`: a v1.0 StreamResponse, or a v0.3 stream or push body. */
export const streamResponse = observation('a2a.stream-response', (reader, root) =>
  root === undefined ? undefined : readAnswer(reader, root, { isFrame: true }),
)
