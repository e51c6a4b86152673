/** Our extension's metadata in messages, tasks, updates, status messages and artifacts (contract §5). */
import type { JsonValue } from '../json/document.ts'
import { redispatchModes } from '../event/mesh-policy.ts'
import { defined } from './defined.ts'
import type { Reader } from './reader.ts'
import type { RedispatchSafety } from './reading.ts'

/** The URI of the extension; also the name of its member in any `metadata`. */
export const continuityUri = 'urn:a2a-ledger:task-continuity:v1'

const redispatchSafeties = ['safe', 'idempotent', 'unsafe'] as const satisfies readonly RedispatchSafety[]

/**
 * Offers the metadata of one object, for the rules of a mesh, and the claim in it; the first claim
 * offered stands (design §5).
 */
export const readClaim = (reader: Reader, object: JsonValue | undefined): void => {
  const metadata = reader.member(object, 'metadata')
  if (metadata?.kind === 'object') reader.offerMetadata(metadata.raw)
  const claim = metadata?.get(continuityUri)
  if (claim?.kind !== 'object') return
  const correlationId = reader.id(claim, 'correlationId')
  if (correlationId === undefined) return
  const skill = reader.text(claim, 'skill')
  const redispatch = redispatchModes.find((mode) => mode === reader.text(claim, 'redispatch'))
  const redispatchSafety = redispatchSafeties.find((safety) => safety === reader.text(claim, 'redispatchSafety'))
  const cancelLoser = reader.member(claim, 'cancelLoser')?.boolean
  reader.offerClaim({ correlationId, ...defined({ skill, redispatch, redispatchSafety, cancelLoser }) })
}
