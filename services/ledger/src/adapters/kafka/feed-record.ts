/**
 * What the relay writes (contract §6): events and watermarks in binary mode, verdicts structured.
 *
 * Every attribute is a header `ce_<name>` with its value as recorded. What we know beside the
 * attributes and what the contract does not name goes into headers that are no attributes,
 * `ledger_<name>`: a witness may have an attribute of that name.
 */
import { partitionOf, type OutgoingRecord } from '@a2a-ledger/service-kit/kafka'
import type { RelayedEvent } from '../../app/relay-store.ts'

/** Which log, and who relays it. */
export interface FeedOrigin {
  readonly ledgerId: string
  readonly epoch: number
  readonly term: number
}

/** Above it, headers included, a record has no value and names where the data is (P4). */
export const recordBytesMax = 512 * 1024

export const eventRecord = (
  event: RelayedEvent,
  origin: FeedOrigin,
  place: { readonly partition: number; readonly prev: number },
): OutgoingRecord => {
  const own = {
    ce_ledgerid: origin.ledgerId,
    ce_epoch: String(origin.epoch),
    ce_relayterm: String(origin.term),
    ce_position: String(event.position),
    ce_prev: String(place.prev),
    ce_recordedat: new Date(event.recordedAtMs).toISOString(),
    ledger_rung: event.rung,
    ...(event.digest !== undefined && { ce_digest: event.digest }),
    ...(event.derivedFrom !== undefined && { ledger_derivedfrom: String(event.derivedFrom) }),
    ...(event.refused !== undefined && { ledger_refused: event.refused.code, ledger_refusedcorrelationid: event.refused.correlationId }),
  }
  const whole = { ...attributeHeaders(Object.entries(event.attributes)), ...own }
  const to = { partition: place.partition, key: event.correlationId }
  if (event.data !== undefined && bytesOf(whole) + event.data.length <= recordBytesMax) {
    return { ...to, value: event.data, headers: whole }
  }
  const named = Object.entries(event.attributes).filter(([name]) => identifying.has(name))
  const headers = bytesOf(whole) <= recordBytesMax ? whole : { ...attributeHeaders(named), ...own }
  return { ...to, value: new Uint8Array(), headers: { ...headers, ce_dataref: `/v1/events/${event.position}/data` } }
}

/** Where attributes alone are too large, the reader of the reference reads the others there too. */
const identifying: ReadonlySet<string> = new Set(['specversion', 'id', 'source', 'type'])

const attributeHeaders = (attributes: readonly (readonly [string, string | undefined])[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    attributes.flatMap(([name, value]) =>
      value === undefined ? [] : [[name === 'datacontenttype' ? 'content-type' : `ce_${name}`, value]],
    ),
  )

/** Everything of this partition up to `through` is in front of this record (P2). */
export const watermarkRecord = (
  origin: FeedOrigin,
  place: { readonly partition: number; readonly prev: number },
  through: { readonly position: number; readonly recordedAtMs: number | undefined },
): OutgoingRecord => ({
  partition: place.partition,
  key: undefined,
  value: new Uint8Array(),
  headers: {
    ce_specversion: '1.0',
    ce_id: `${origin.epoch}-${origin.term}-${through.position}`,
    ce_source: `urn:a2a-ledger:${origin.ledgerId}`,
    ce_type: 'ledger.watermark',
    ce_ledgerid: origin.ledgerId,
    ce_epoch: String(origin.epoch),
    ce_relayterm: String(origin.term),
    ce_prev: String(place.prev),
    ce_through: String(through.position),
    ...(through.recordedAtMs !== undefined && { ce_recordedat: new Date(through.recordedAtMs).toISOString() }),
  },
})

export const isVerdict = ({ attributes }: RelayedEvent): boolean => attributes.type === 'reconciler.verdict'

/** A verdict for other systems: one CloudEvent as JSON, its data as recorded. */
export const verdictRecord = (event: RelayedEvent, origin: FeedOrigin, partitionCount: number): OutgoingRecord => {
  const attributes = {
    ...event.attributes,
    correlationid: event.correlationId,
    position: event.position,
    recordedat: new Date(event.recordedAtMs).toISOString(),
    ledgerid: origin.ledgerId,
    epoch: origin.epoch,
    relayterm: origin.term,
  }
  const json =
    event.data === undefined
      ? JSON.stringify({ ...attributes, dataref: `/v1/events/${event.position}/data` })
      : `${JSON.stringify(attributes).slice(0, -1)},"data":${Buffer.from(event.data).toString('utf8')}}`
  return {
    partition: partitionOf(event.correlationId, partitionCount),
    key: event.correlationId,
    value: Buffer.from(json),
    headers: { 'content-type': 'application/cloudevents+json' },
  }
}

const headerOverheadBytes = 10
const recordOverheadBytes = 32

function bytesOf(headers: Readonly<Record<string, string>>): number {
  return Object.entries(headers).reduce(
    (sum, [name, value]) => sum + name.length + Buffer.byteLength(value) + headerOverheadBytes,
    0,
  )
}

/** What a record adds to the batch it is sent in, rather more than less. */
export const recordBytes = ({ key, value, headers }: OutgoingRecord): number =>
  recordOverheadBytes + Buffer.byteLength(key ?? '') + value.length + bytesOf(headers)
