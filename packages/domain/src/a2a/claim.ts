/** Our extension's metadata in messages, tasks, updates, status messages and artifacts (contract §5). */
import type { JsonValue } from '../json/document.ts'
import type { Reader } from './reader.ts'

/** The URI of the extension; also the name of its member in any `metadata`. */
export const continuityUri = 'urn:a2a-ledger:task-continuity:v1'

/** Offers the claim in the metadata of one object; the first one offered stands (design §5). */
export const readClaim = (reader: Reader, object: JsonValue | undefined): void => {
  const claim = reader.member(object, 'metadata')?.get(continuityUri)
  if (claim?.kind !== 'object') return
  const correlationId = reader.id(claim, 'correlationId')
  if (correlationId === undefined) return
  const skill = reader.text(claim, 'skill')
  reader.offerClaim({ correlationId, ...(skill === undefined ? {} : { skill }) })
}
