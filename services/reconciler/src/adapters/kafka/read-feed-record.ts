/** One record of the feed as the ledger's relay writes it (contract §6; P1, P2, P4). */
import { correlationRungs, type CorrelationRung, type EventAttributes, type LedgerEvent } from '@a2a-ledger/domain'
import type { KafkaRecord } from '@a2a-ledger/service-kit/kafka'
import type { LedgerIdentity } from '../../app/ports.ts'

export type FeedRecord =
  | {
      readonly kind: 'event'
      readonly ledger: LedgerIdentity
      /** Of the relay that wrote it. */
      readonly term: number
      readonly position: number
      /** The position before it on this partition. */
      readonly prev: number
      /** Absent: the record only says where the event is. */
      readonly event: LedgerEvent | undefined
    }
  | {
      readonly kind: 'watermark'
      readonly ledger: LedgerIdentity
      readonly term: number
      readonly prev: number
      readonly through: number
    }
  /** Nothing of a relay. */
  | { readonly kind: 'foreign' }

/** What the relay adds to the attributes. */
const ownHeaders: ReadonlySet<string> = new Set([
  'ce_ledgerid', 'ce_epoch', 'ce_relayterm', 'ce_position', 'ce_prev', 'ce_recordedat', 'ce_digest', 'ce_dataref', 'ce_through',
])

export function readFeedRecord(record: KafkaRecord, decode: (bytes: Uint8Array) => string | undefined): FeedRecord {
  const headers = new Map(record.headers.map(([name, value]) => [name, decode(value)]))
  const number = (name: string): number | undefined => {
    const value = Number(headers.get(name) ?? Number.NaN)
    return Number.isSafeInteger(value) && value >= 0 ? value : undefined
  }
  const [ledgerId, epoch, term, prev] = [headers.get('ce_ledgerid'), number('ce_epoch'), number('ce_relayterm'), number('ce_prev')]
  if (ledgerId === undefined || epoch === undefined || term === undefined || prev === undefined) return { kind: 'foreign' }
  const ledger = { ledgerId, epoch }
  if (headers.get('ce_type') === 'ledger.watermark') {
    const through = number('ce_through')
    return through === undefined ? { kind: 'foreign' } : { kind: 'watermark', ledger, term, prev, through }
  }
  const position = number('ce_position')
  if (position === undefined || position === 0) return { kind: 'foreign' }
  const event = headers.has('ce_dataref') ? undefined : eventOf(record, headers, position, decode)
  return { kind: 'event', ledger, term, prev, position, event }
}

/** `undefined` for a record that lacks something: it is looked up like one that is a reference. */
function eventOf(
  record: KafkaRecord,
  headers: ReadonlyMap<string, string | undefined>,
  position: number,
  decode: (bytes: Uint8Array) => string | undefined,
): LedgerEvent | undefined {
  const recordedAtMs = Date.parse(headers.get('ce_recordedat') ?? '')
  const rung = headers.get('ledger_rung')
  const correlationId = record.key && decode(record.key)
  const attributes = attributesOf(headers)
  if (Number.isNaN(recordedAtMs) || !isRung(rung) || correlationId === undefined || attributes === undefined) return undefined
  const derivedFrom = headers.get('ledger_derivedfrom')
  const refusedCode = headers.get('ledger_refused')
  const refusedCorrelationId = headers.get('ledger_refusedcorrelationid')
  return {
    position,
    recordedAtMs,
    attributes,
    correlationId,
    rung,
    ...(isRefusal(refusedCode) && refusedCorrelationId !== undefined && { refused: { code: refusedCode, correlationId: refusedCorrelationId } }),
    ...(derivedFrom !== undefined && { derivedFrom: Number(derivedFrom) }),
    data: record.value && decode(record.value),
    digest: headers.get('ce_digest'),
  }
}

function attributesOf(headers: ReadonlyMap<string, string | undefined>): EventAttributes | undefined {
  const attributes: Record<string, string> = {}
  for (const [name, value] of headers) {
    if (value === undefined) return undefined
    if (name === 'content-type') attributes['datacontenttype'] = value
    else if (name.startsWith('ce_') && !ownHeaders.has(name)) attributes[name.slice('ce_'.length)] = value
  }
  const { id, source, type, specversion } = attributes
  if (specversion !== '1.0' || id === undefined || source === undefined || type === undefined) return undefined
  return { ...attributes, specversion, id, source, type }
}

const isRung = (text: string | undefined): text is CorrelationRung => correlationRungs.some((rung) => rung === text)

type RefusalCode = NonNullable<LedgerEvent['refused']>['code']
const isRefusal = (text: string | undefined): text is RefusalCode => text === 'correlation_claimed' || text === 'correlation_conflict'
