import { readAnswer, readEventStream } from '../../a2a/answer.ts'
import { isHtml, readError } from '../../a2a/error/classify.ts'
import { isEventStream } from '../../a2a/event-stream.ts'
import { observation } from './event-type.ts'

/**
 * `a2a.stream-response`: a v1.0 StreamResponse, or a v0.3 stream or push body, also as the event that
 * carried it; a page instead of a stream is an error by its HTTP status, and HTML is one under any.
 */
export const streamResponse = observation('a2a.stream-response', (reader, root, text) => {
  if (root !== undefined) return readAnswer(reader, root, { isFrame: true })
  const { httpStatus = 200 } = reader.context
  if (httpStatus < 300 && isEventStream(text)) return readEventStream(reader, text)
  return httpStatus >= 400 || isHtml(text) ? readError(reader, undefined, text) : undefined
})
