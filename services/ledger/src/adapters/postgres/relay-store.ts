/** The relay's cursor and its events on PostgreSQL. */
import { LedgerError, type CorrelationRung, type EventAttributes } from '@a2a-ledger/domain'
import type { Pool, QueryResultRow } from 'pg'
import type { PartitionCursor, RelayedEvent, RelayStore } from '../../app/relay-store.ts'
import { createPools } from './pools.ts'
import { positionOf } from './position.ts'
import { failureKindOf } from './sqlstate.ts'

export interface OpenRelayStore extends RelayStore {
  readonly close: () => Promise<void>
}

/** What is read at once. */
const eventsMax = 1_000
const bytesMax = 8 * 1024 * 1024

/** Connects when first used, as the role of the service. */
export function openRelayStore(databaseUrl: string, report: (problem: Error) => void): OpenRelayStore {
  const pools = createPools({ databaseUrl, readersMax: 2, connectTimeoutMs: 5_000, lockTimeoutMs: 2_000, report })
  return { ...createRelayStore(pools.reader), close: pools.end }
}

function createRelayStore(pool: Pool): RelayStore {
  const query = async <Row extends QueryResultRow>(text: string, values: readonly unknown[]): Promise<readonly Row[]> => {
    try {
      return (await pool.query<Row>(text, [...values])).rows
    } catch (error) {
      if (failureKindOf(error) === 'defect') throw error
      const message = error instanceof Error ? error.message : String(error)
      throw new LedgerError('store_unavailable', `Postgres: ${message}`, { cause: error })
    }
  }

  return {
    acquire: async (topic, owner, ttlMs) => {
      await query('INSERT INTO ledger.relay (topic) VALUES ($1) ON CONFLICT DO NOTHING', [topic])
      const [row] = await query<TermRow>(
        `UPDATE ledger.relay
            SET term = term + 1, owner = $2, lease_until = clock_timestamp() + $3 * interval '1 ms'
          WHERE topic = $1 AND (owner = $2 OR lease_until IS NULL OR lease_until < clock_timestamp())
          RETURNING term, position`,
        [topic, owner, ttlMs],
      )
      return row && toTerm(row)
    },
    commit: async (topic, held, { position, partitions }, ttlMs) => {
      const [row] = await query<{ readonly is_held: boolean }>(
        `WITH held AS (
           UPDATE ledger.relay SET position = $4, lease_until = clock_timestamp() + $5 * interval '1 ms'
            WHERE topic = $1 AND term = $2 AND position = $3 RETURNING topic
         ), moved AS (
           UPDATE ledger.relay_partition AS cursor
              SET last_position = given.last_position, next_offset = given.next_offset
             FROM held, unnest($6::text[], $7::integer[], $8::bigint[], $9::bigint[])
                  AS given (topic, partition, last_position, next_offset)
            WHERE cursor.topic = given.topic AND cursor.partition = given.partition
         )
         SELECT EXISTS (SELECT FROM held) AS is_held`,
        [
          topic,
          held.term,
          held.position,
          position,
          ttlMs,
          partitions.map((each) => each.topic),
          partitions.map(({ partition }) => partition),
          partitions.map(({ lastPosition }) => lastPosition),
          partitions.map(({ nextOffset }) => nextOffset),
        ],
      )
      return row?.is_held === true
    },
    release: async (topic, { term }) => {
      await query('UPDATE ledger.relay SET owner = NULL, lease_until = NULL WHERE topic = $1 AND term = $2', [topic, term])
    },
    current: async (topic) => {
      const [row] = await query<TermRow>('SELECT term, position FROM ledger.relay WHERE topic = $1', [topic])
      return row && toTerm(row)
    },
    partitions: async (topics) => {
      const rows = await query<PartitionRow>(
        'SELECT topic, partition, last_position, next_offset FROM ledger.relay_partition WHERE topic = ANY($1) ORDER BY topic, partition',
        [topics],
      )
      return rows.map(toCursor)
    },
    fixPartitions: async (topic, partitionCount) => {
      await query(
        `INSERT INTO ledger.relay_partition (topic, partition)
         SELECT $1, generate_series(0, $2::integer - 1)
          WHERE NOT EXISTS (SELECT FROM ledger.relay_partition WHERE topic = $1) ON CONFLICT DO NOTHING`,
        [topic, partitionCount],
      )
    },
    events: async (after, dataBytesMax) => {
      const rows = await query<EventRow>(
        `SELECT position, recorded_at_ms, attributes, correlation_id, rung, refused_code, refused_correlation_id, derived_from,
                digest, CASE WHEN octet_length(data) <= $3 THEN data END AS data
           FROM (SELECT *, sum(least(octet_length(data), $3)) OVER (ORDER BY position) AS bytes
                   FROM (SELECT * FROM ledger.feed_v1 WHERE position > $1 ORDER BY position LIMIT $2) AS next) AS sized
          WHERE coalesce(bytes, 0) < $4 ORDER BY position`,
        [after, eventsMax, dataBytesMax, bytesMax],
      )
      return rows.map(toEvent)
    },
  }
}

interface TermRow {
  readonly term: string
  readonly position: string
}

interface PartitionRow {
  readonly topic: string
  readonly partition: number
  readonly last_position: string
  readonly next_offset: string
}

interface EventRow {
  readonly position: string
  readonly recorded_at_ms: string
  readonly attributes: EventAttributes
  readonly correlation_id: string
  readonly rung: CorrelationRung
  readonly refused_code: string | null
  readonly refused_correlation_id: string | null
  readonly derived_from: string | null
  readonly digest: string | null
  readonly data: Buffer | null
}

const toTerm = ({ term, position }: TermRow) => ({ term: Number(term), position: positionOf(position) })

const toCursor = (row: PartitionRow): PartitionCursor => ({
  topic: row.topic,
  partition: row.partition,
  lastPosition: positionOf(row.last_position),
  nextOffset: Number(row.next_offset),
})

const toEvent = (row: EventRow): RelayedEvent => ({
  position: positionOf(row.position),
  recordedAtMs: Number(row.recorded_at_ms),
  attributes: row.attributes,
  correlationId: row.correlation_id,
  rung: row.rung,
  refused:
    row.refused_code === null || row.refused_correlation_id === null
      ? undefined
      : { code: row.refused_code, correlationId: row.refused_correlation_id },
  derivedFrom: row.derived_from === null ? undefined : positionOf(row.derived_from),
  digest: row.digest ?? undefined,
  data: row.data ?? undefined,
})
