import { peeled, readAnswer } from '../../a2a/answer.ts'
import { isHtml, readError } from '../../a2a/error/classify.ts'
import type { JsonValue } from '../../json/document.ts'
import { observation } from './event-type.ts'

const errorMembers = ['error', 'code', 'status', 'type', 'title', 'detail', 'message'] as const

const isErrorObject = (root: JsonValue, hasStatus: boolean): boolean =>
  root.kind === 'object' &&
  root.get('result') === undefined &&
  (hasStatus || errorMembers.some((name) => root.get(name)?.isNull === false))

/** `a2a.error`: a JSON-RPC error object or response, a REST error body, or a gRPC status as JSON. */
export const error = observation('a2a.error', (reader, whole, text) => {
  const root = whole && peeled(whole)
  const isRefused = (reader.context.httpStatus ?? 0) >= 300
  if (root === undefined) return isRefused || isHtml(text) ? readError(reader, undefined, text) : undefined
  if (root.kind === 'array') return readAnswer(reader, root)
  if (isErrorObject(root, isRefused)) return readError(reader, root, text)
  if (root.kind !== 'object' && isRefused) return readError(reader, root, text)
  reader.refuse('data_foreign', 'the data is no error of any binding')
  return undefined
})
