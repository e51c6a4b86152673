import type { CorrelationKeys, EventAttributes, Canonical, CorrelationRung } from '@a2a-ledger/domain'
import { sql, type Kysely, type SelectQueryBuilder } from 'kysely'
import type { EventFilter, RecordedEvent } from '../../../app/ports.ts'
import { bytesOfHex } from '../hex.ts'
import { positionOf } from '../position.ts'

/** The tables a read joins, as far as it needs them. */
export interface ReadTables {
  'ledger.events': {
    position: string
    recorded_at: Date
    attributes: EventAttributes
    correlation_id: string
    correlation_hash: Buffer
    worker_hash: Buffer | null
    event_type: string
    rung: CorrelationRung
    derived_from: string | null
    canonical: Canonical
    payload_position: string
  }
  'ledger.payloads': { position: string; digest: Buffer; data: Buffer }
  'ledger.alias': { from_hash: Buffer; to_hash: Buffer }
  'ledger.quarantine': {
    id: string
    arrival: string
    received_at: Date
    reason: string
    detail: string
    via: string
    source: string | null
    headers: Record<string, string>
    attributes: EventAttributes | null
    bytes: Buffer
  }
  'ledger.quarantine_replay': { id: string; position: string }
}

interface Row {
  readonly position: string
  readonly recorded_at: Date
  readonly attributes: EventAttributes
  readonly correlation_id: string
  readonly rung: CorrelationRung
  readonly derived_from: string | null
  readonly canonical: Canonical
  readonly digest: Buffer | null
  readonly data: Buffer | null
}

/**
 * Events behind position `after`, ascending, at most `limit`.
 *
 * Index `events_correlation` (with `alias_to`), else `events_worker`, else the primary key; a type
 * alone is looked for along the primary key.
 */
export async function findEvents(
  db: Kysely<ReadTables>,
  keys: CorrelationKeys,
  { filter, after, limit }: { readonly filter: EventFilter; readonly after: number; readonly limit: number },
): Promise<readonly RecordedEvent[]> {
  let query = selectEvents(db).where('event.position', '>', String(after)).orderBy('event.position').limit(limit)
  if (filter.correlationId !== undefined) {
    const stream = bytesOfHex(keys.correlation(filter.correlationId))
    const aliases = db.selectFrom('ledger.alias').select('from_hash').where('to_hash', '=', stream)
    query = query.where((where) =>
      where('event.correlation_hash', '=', where.fn.any(sql<Buffer[]>`array(select ${stream}::bytea union all ${aliases})`)),
    )
  }
  if (filter.workerId !== undefined) {
    query = query.where('event.worker_hash', '=', bytesOfHex(keys.worker(filter.workerId)))
  }
  if (filter.type !== undefined) query = query.where('event.event_type', '=', filter.type)
  return (await query.execute()).map(toRecordedEvent)
}

/** The event at `position`. Primary keys. */
export async function findEvent(db: Kysely<ReadTables>, position: number): Promise<RecordedEvent | undefined> {
  const row = await selectEvents(db).where('event.position', '=', String(position)).executeTakeFirst()
  return row === undefined ? undefined : toRecordedEvent(row)
}

type EventQuery = SelectQueryBuilder<
  { event: ReadTables['ledger.events']; payload: { [C in keyof ReadTables['ledger.payloads']]: ReadTables['ledger.payloads'][C] | null } },
  'event' | 'payload',
  Row
>

const selectEvents = (db: Kysely<ReadTables>): EventQuery =>
  db
    .selectFrom('ledger.events as event')
    .leftJoin('ledger.payloads as payload', 'payload.position', 'event.payload_position')
    .select([
      'event.position',
      'event.recorded_at',
      'event.attributes',
      'event.correlation_id',
      'event.rung',
      'event.derived_from',
      'event.canonical',
      'payload.digest',
      'payload.data',
    ]) as unknown as EventQuery

const toRecordedEvent = (row: Row): RecordedEvent => ({
  position: positionOf(row.position),
  recordedAtMs: row.recorded_at.getTime(),
  attributes: row.attributes,
  correlationId: row.correlation_id,
  rung: row.rung,
  derivedFrom: row.derived_from === null ? undefined : positionOf(row.derived_from),
  canonical: row.canonical,
  data: row.data ?? undefined,
  digest: row.digest === null ? undefined : `sha256:${row.digest.toString('hex')}`,
})
