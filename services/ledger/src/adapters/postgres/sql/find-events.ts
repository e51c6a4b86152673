import { placedBy, type Canonical, type CorrelationKeys, type CorrelationRung, type EventAttributes, type LedgerEvent } from '@a2a-ledger/domain'
import { sql, type Kysely, type SelectQueryBuilder } from 'kysely'
import type { EventFilter, RecordedEvent } from '../../../app/ports.ts'
import { bytesOfHex } from '../hex.ts'
import { positionOf } from '../position.ts'
import { findTaskStreams, type TaskStreams } from './find-task-streams.ts'

type RefusedCode = NonNullable<LedgerEvent['refused']>['code']

/** The tables a read joins, as far as it needs them. */
export interface ReadTables {
  'ledger.events': {
    position: string
    recorded_at: Date
    attributes: EventAttributes
    correlation_id: string
    correlation_hash: Buffer
    worker_hash: Buffer | null
    task_hash: Buffer | null
    event_type: string
    rung: CorrelationRung
    refused_code: RefusedCode | null
    refused_correlation_id: string | null
    derived_from: string | null
    canonical: Canonical
    payload_position: string
  }
  'ledger.payloads': { position: string; digest: Buffer; data: Buffer }
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
  readonly correlation_hash: Buffer
  readonly task_hash: Buffer | null
  readonly rung: CorrelationRung
  readonly refused_code: RefusedCode | null
  readonly refused_correlation_id: string | null
  readonly derived_from: string | null
  readonly canonical: Canonical
  readonly digest: Buffer | null
  readonly data: Buffer | null
}

/**
 * Events behind position `after`, ascending, at most `limit`.
 *
 * Index `events_correlation`, else `events_worker`, else the primary key; a type alone is looked for
 * along the primary key. What went to another stream is read, and left out or in, here.
 */
export async function findEvents(
  db: Kysely<ReadTables>,
  keys: CorrelationKeys,
  { filter, after, limit }: { readonly filter: EventFilter; readonly after: number; readonly limit: number },
): Promise<readonly RecordedEvent[]> {
  const task = filter.correlationId === undefined ? undefined : await findTaskStreams(db, keys.correlation(filter.correlationId))
  const found: Row[] = []
  for (let from = after; ; ) {
    const rows = await selectMatching(db, keys, filter, task).where('event.position', '>', String(from)).limit(limit).execute()
    found.push(...rows.filter((row) => task === undefined || isOf(task, row)))
    const last = rows.at(-1)
    if (last === undefined || rows.length < limit || found.length >= limit) return found.slice(0, limit).map(toRecordedEvent)
    from = positionOf(last.position)
  }
}

const selectMatching = (
  db: Kysely<ReadTables>,
  keys: CorrelationKeys,
  filter: EventFilter,
  task: TaskStreams | undefined,
): EventQuery => {
  let query = selectEvents(db).orderBy('event.position')
  if (task !== undefined) {
    const recordedIn = [...task.parts, ...task.moves.map(({ from }) => from)].map(bytesOfHex)
    query = query.where((where) => where('event.correlation_hash', '=', where.fn.any(sql<Buffer[]>`${recordedIn}::bytea[]`)))
  }
  if (filter.workerId !== undefined) {
    query = query.where('event.worker_hash', '=', bytesOfHex(keys.worker(filter.workerId)))
  }
  return filter.type === undefined ? query : query.where('event.event_type', '=', filter.type)
}

/** True when the event counts for the task: in one of its streams, or gone to one; and not gone from it. */
const isOf = ({ parts, moves }: TaskStreams, row: Row): boolean => {
  const { refused_code: code, refused_correlation_id: correlationId, ...placed } = row
  const refused = code !== null && correlationId !== null ? { refused: { code, correlationId } } : {}
  const isMovable = placedBy({ ...placed, ...refused }) !== undefined
  const stream = moves.reduce((from, move) => {
    const isMoved =
      isMovable &&
      move.from === from &&
      move.task === row.task_hash?.toString('hex') &&
      positionOf(row.position) >= move.since &&
      positionOf(row.position) < move.position
    return isMoved ? move.to : from
  }, row.correlation_hash.toString('hex'))
  return parts.has(stream)
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
      'event.correlation_hash',
      'event.task_hash',
      'event.rung',
      'event.refused_code',
      'event.refused_correlation_id',
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
