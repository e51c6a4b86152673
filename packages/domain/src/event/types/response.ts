import { readAnswer, readEventStream } from '../../a2a/answer.ts'
import { isHtml, readError } from '../../a2a/error/classify.ts'
import { isEventStream } from '../../a2a/event-stream.ts'
import { observation } from './event-type.ts'

/**
 * `a2a.response`: a whole answer to `operation`, also the whole body of an event stream. Another answer
 * without JSON is an error by its HTTP status, and HTML is one under any; an empty one with a good
 * status is no result.
 */
export const response = observation('a2a.response', (reader, root, text) => {
  if (root !== undefined) return readAnswer(reader, root)
  const { httpStatus } = reader.context
  if ((httpStatus ?? 200) < 300 && isEventStream(text)) return readEventStream(reader, text)
  if (isHtml(text) || (httpStatus ?? 200) >= 300) return readError(reader, undefined, text)
  if (httpStatus === undefined || text.trim() !== '') return undefined
  if (httpStatus !== 204) reader.note('result_missing')
  return { kind: 'nothing' }
})
