/**
 * The feed by position from `ledger.feed_v1`, the embedded default of the feed port (P7).
 *
 * Woken by NOTIFY, but correctness never depends on it: when the listening connection is broken,
 * `more` is a plain wait, and the connection is made again.
 */
import type { CorrelationRung, EventAttributes, LedgerEvent } from '@a2a-ledger/domain'
import pg from 'pg'
import type { FeedReader, LedgerIdentity } from '../../app/ports.ts'
import { withStoreErrors } from './pool.ts'

export interface FeedReaderOptions {
  readonly pool: pg.Pool
  readonly url: string
  readonly decode: (bytes: Uint8Array) => string | undefined
}

export interface PostgresFeedReader extends FeedReader {
  readonly internalToken: () => Promise<string>
  readonly close: () => Promise<void>
}

interface IdentityRow {
  readonly ledger_id: string
  readonly epoch: number
}

interface FeedRow extends IdentityRow {
  readonly position: number
  readonly recorded_at_ms: number
  readonly attributes: EventAttributes
  readonly correlation_id: string
  readonly rung: CorrelationRung
  readonly refused_code: 'correlation_claimed' | 'correlation_conflict' | null
  readonly refused_correlation_id: string | null
  readonly derived_from: number | null
  readonly digest: string | null
  readonly data: Buffer | null
}

/** An event of a partition that was not asked for: nothing but where it is. */
interface PassedRow {
  readonly position: number
  readonly attributes: null
}

const columns = `ledger_id, epoch, position, recorded_at_ms, attributes, correlation_id, rung, refused_code,
  refused_correlation_id, derived_from, digest, data`
/** As `partitionOf`; keys of the ledger are made in another way. */
const isAsked = `$4::integer IS NULL OR
  (('x' || encode(substr(sha256(convert_to(correlation_id, 'UTF8')), 1, 4), 'hex'))::bit(32)::bigint & 4294967295) % $4::integer
    = ANY($5::integer[])`
/** Of what was not asked for the position alone leaves the database. */
const askedColumns = columns.replaceAll(/[a-z_]+/g, (name) =>
  name === 'position' ? name : `CASE WHEN is_asked THEN ${name} END AS ${name}`,
)

/** Payload bytes that are read at once; one event may be larger (P4). */
const sliceBytesMax = 16 * 1024 * 1024
/** After the listening connection broke. */
const listenAgainMs = 1_000

export function createPostgresFeedReader({ pool, url, decode }: FeedReaderOptions): PostgresFeedReader {
  const listener = listen(url)

  const eventOf = (row: FeedRow): LedgerEvent => ({
    position: row.position,
    recordedAtMs: row.recorded_at_ms,
    attributes: row.attributes,
    correlationId: row.correlation_id,
    rung: row.rung,
    ...(row.refused_code !== null &&
      row.refused_correlation_id !== null && {
        refused: { code: row.refused_code, correlationId: row.refused_correlation_id },
      }),
    ...(row.derived_from !== null && { derivedFrom: row.derived_from }),
    data: row.data === null ? undefined : decode(row.data),
    digest: row.digest ?? undefined,
  })

  const last = async (): Promise<(IdentityRow & { readonly head: number }) | undefined> => {
    // Not max(): through a view that joins, only an ordered read goes to the end of the index.
    const { rows } = await pool.query<IdentityRow & { readonly head: number }>(
      'SELECT position AS head, ledger_id, epoch FROM ledger.feed_v1 ORDER BY position DESC LIMIT 1',
    )
    return rows[0]
  }

  return {
    head: () => withStoreErrors(async () => (await last())?.head ?? 0),
    after: (position, countMax, share) =>
      withStoreErrors(async () => {
        const end = await last()
        const { rows } = await pool.query<FeedRow | PassedRow>(
          `SELECT ${askedColumns} FROM (
             SELECT *, sum(bytes) OVER (ORDER BY position) - bytes AS bytes_before FROM (
               SELECT *, CASE WHEN is_asked THEN octet_length(data) ELSE 0 END AS bytes FROM (
                 SELECT *, (${isAsked}) AS is_asked
                   FROM ledger.feed_v1 WHERE position > $1 ORDER BY position LIMIT $2) AS next) AS measured) AS sized
            WHERE coalesce(bytes_before, 0) < $3 ORDER BY position`,
          [position, countMax, sliceBytesMax, share?.partitionCount, share?.partitions],
        )
        const asked = rows.filter((row) => row.attributes !== null)
        return {
          head: end?.head ?? 0,
          ledger: identityOf(asked[0] ?? end),
          events: asked.map(eventOf),
          elsewhere: rows.filter((row) => row.attributes === null).map((row) => row.position),
        }
      }),
    at: (positions) =>
      withStoreErrors(async () => {
        if (positions.length === 0) return []
        const { rows } = await pool.query<FeedRow>(
          `SELECT ${columns} FROM ledger.feed_v1 WHERE position = ANY($1::bigint[]) ORDER BY position`,
          [positions],
        )
        return rows.map(eventOf)
      }),
    more: listener.next,
    internalToken: () =>
      withStoreErrors(async () => {
        const { rows } = await pool.query<{ internal_token: string }>('SELECT internal_token FROM ledger.access_v1')
        return rows[0]?.internal_token ?? ''
      }),
    close: listener.close,
  }
}

const identityOf = (row: IdentityRow | undefined): LedgerIdentity | undefined =>
  row && { ledgerId: row.ledger_id, epoch: row.epoch }

/** One connection that listens; what arrives while nobody waits is remembered. */
function listen(url: string): { readonly next: (atMostMs: number) => Promise<void>; readonly close: () => Promise<void> } {
  let isClosed = false
  let isNotified = false
  let wake: () => void = () => undefined
  let client: pg.Client | undefined
  let retry: NodeJS.Timeout | undefined

  const notified = (): void => {
    isNotified = true
    wake()
  }
  const connect = async (): Promise<void> => {
    const own = new pg.Client({ connectionString: url, application_name: 'a2a-ledger-reconciler-listen', keepAlive: true })
    const broke = (): void => {
      if (client !== own || isClosed) return
      client = undefined
      own.end().catch(() => undefined)
      retry = setTimeout(() => void connect(), listenAgainMs).unref()
    }
    client = own
    own.on('error', broke)
    own.on('end', broke)
    own.on('notification', notified)
    try {
      await own.connect()
      await own.query('LISTEN a2a_ledger_head')
      notified() // what came while nobody listened
    } catch {
      broke()
    }
  }
  void connect()

  return {
    next: async (atMostMs) => {
      if (!isNotified && !isClosed) {
        await new Promise<void>((resolve) => {
          const timeout = setTimeout(resolve, atMostMs)
          wake = () => {
            clearTimeout(timeout)
            resolve()
          }
        })
      }
      isNotified = false
    },
    close: async () => {
      isClosed = true
      clearTimeout(retry)
      wake()
      await client?.end().catch(() => undefined)
    },
  }
}
