/** From the bytes of one event to what it says: the only door between wire JSON and the domain. */
import { findEventType } from '../event/types/index.ts'
import { scanJson, type JsonValue } from '../json/document.ts'
import type { QuarantineReason } from '../error.ts'
import { bindingOf } from './binding.ts'
import { noteDocument } from './document-notes.ts'
import { operationOf } from './operation.ts'
import { Reader, type ReadContext } from './reader.ts'
import type { Reading } from './reading.ts'

export type { ReadContext } from './reader.ts'

/** What came of a payload: a complete reading, or why it is kept without one. */
export type ReadResult =
  | { readonly outcome: 'read'; readonly reading: Reading }
  | { readonly outcome: 'quarantined'; readonly reason: QuarantineReason; readonly detail: string }

const refused = (reason: QuarantineReason, detail: string): ReadResult => ({
  outcome: 'quarantined',
  reason,
  detail,
})

const answerTypes: ReadonlySet<string> = new Set(['a2a.response', 'a2a.error', 'a2a.stream-response', 'a2a.agent-card'])

/**
 * A JSON string where an answer belongs is a page: the structured mode of CloudEvents has no other
 * way to carry one. It is read as the text it is, and never as JSON inside JSON.
 */
const pageOf = (type: string, root: JsonValue | undefined): string | undefined =>
  answerTypes.has(type) && root?.kind === 'string' ? root.string : undefined

/** The same context in the words of v1.0. */
const contextOf = ({ operation, binding, ...rest }: ReadContext): ReadContext => ({
  ...rest,
  ...(operation === undefined ? {} : { operation: operationOf(operation) }),
  ...(binding === undefined ? {} : { binding: bindingOf(binding) }),
})

/**
 * Reads the data of one event.
 *
 * Shape: `text` is the data as received, or with its credentials overwritten (both read alike but
 * for `pushConfigs[].secrets`); the empty text stands for an event without data.
 * Errors: value `quarantined` with one reason. Total: never throws, linear in the text.
 * Source: contract §2; L9–L11.
 */
export const readPayload = (context: ReadContext, text: string): ReadResult => {
  const type = findEventType(context.type)
  if (type === undefined)
    return refused('unknown_type', `no event type ${context.type.slice(0, 100)}`)
  const reader = new Reader(contextOf(context))
  const scan = scanJson(text)
  if (scan.outcome === 'too-deep' || scan.outcome === 'too-many') return refused('data_malformed', scan.detail)
  const document = scan.outcome === 'ok' ? scan.document : undefined
  const page = pageOf(context.type, document?.root)
  const draft = page === undefined ? type.read(reader, document?.root, text) : type.read(reader, undefined, page)
  if (reader.refusal !== undefined) return refused(reader.refusal.reason, reader.refusal.detail)
  if (draft === undefined) {
    return text === ''
      ? refused('data_missing', `${context.type} needs data`)
      : refused('data_malformed', scan.outcome === 'malformed' ? scan.detail : 'not readable')
  }
  if (document !== undefined) noteDocument(reader, document)
  return { outcome: 'read', reading: reader.finish(draft) }
}
