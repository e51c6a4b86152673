/**
 * Suggested links: what tasks bear, and which of them share it.
 *
 * Marks are committed before pairs are looked for. So of two tasks that are looked at side by side, by
 * one process or by two, at least the one that is committed later finds the other.
 */
import {
  answeredContent,
  isReservedCorrelationId,
  routineCount,
  suggestionReasons,
  suggestionWindowMs,
  type Exchange,
  type LinkMark,
  type SharedMark,
  type SuggestionReason,
  type UnsentAnswer,
} from '@a2a-ledger/domain'
import type pg from 'pg'
import type { RecordedExchange } from '../../app/ports.ts'
import { exchangeKey, markKey, sourceKey, streamKey, workerKey } from './keys.ts'

/** Exchanges of one witness with one worker that can matter to one answer. */
const exchangesMax = 40
/** Tasks that are suggested for one mark; the nearest in time. */
const partnersMax = 10
/** Pairs are written one process at a time: two tasks that find each other write the same row. */
const advisoryLock = 7_021_900_146

export async function insertExchanges(client: pg.ClientBase, exchanges: readonly RecordedExchange[]): Promise<void> {
  const unique = new Map<string, RecordedExchange & { readonly key: Buffer }>()
  for (const exchange of exchanges) {
    const key = exchangeKey(exchange.kind === 'send' ? undefined : exchange.taskId, exchange.position)
    const id = JSON.stringify([exchange.workerId, exchange.source, key.toString('hex')])
    if (!unique.has(id)) unique.set(id, { ...exchange, key })
  }
  if (unique.size === 0) return
  const rows = [...unique.values()].toSorted((left, right) => Buffer.compare(left.key, right.key))
  await client.query(
    `INSERT INTO exchanges (worker_key, source_key, exchange_key, position, at_ms, is_send, message_id, content_digest)
     SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bytea[], $4::bigint[], $5::bigint[], $6::boolean[], $7::text[], $8::text[])
     ON CONFLICT (worker_key, source_key, exchange_key) DO UPDATE
       SET position = excluded.position, at_ms = excluded.at_ms, message_id = excluded.message_id
     WHERE exchanges.position > excluded.position`,
    [
      rows.map(({ workerId }) => workerKey(workerId)),
      rows.map(({ source }) => sourceKey(source)),
      rows.map(({ key }) => key),
      rows.map(({ position }) => position),
      rows.map(({ atMs }) => atMs),
      rows.map(({ kind }) => kind === 'send'),
      rows.map(({ messageId }) => messageId ?? null),
      rows.map(({ contentDigest }) => contentDigest ?? null),
    ],
  )
}

interface ExchangeRow {
  readonly asked: number
  readonly position: number
  readonly at_ms: number
  readonly is_send: boolean
  readonly message_id: string | null
  readonly content_digest: string | null
}

export async function answeredContents(client: pg.Pool, answers: readonly UnsentAnswer[]): Promise<ReadonlyMap<number, string>> {
  if (answers.length === 0) return new Map()
  const { rows } = await client.query<ExchangeRow>(
    `SELECT asked.position AS asked, known.* FROM unnest($1::bytea[], $2::bytea[], $3::bigint[]) AS asked (worker_key, source_key, position)
      CROSS JOIN LATERAL (SELECT position, at_ms, is_send, message_id, content_digest FROM exchanges
                           WHERE worker_key = asked.worker_key AND source_key = asked.source_key AND position <= asked.position
                           ORDER BY position DESC LIMIT $4) AS known
      ORDER BY known.position`,
    [
      answers.map(({ workerId }) => workerKey(workerId)),
      answers.map(({ source }) => sourceKey(source)),
      answers.map(({ position }) => position),
      exchangesMax,
    ],
  )
  const byAnswer = Map.groupBy(rows, ({ asked }) => asked)
  return new Map(
    [...byAnswer].flatMap(([position, known]) => {
      const content = answeredContent(known.map(exchangeOf), position)
      return content === undefined ? [] : [[position, content] as const]
    }),
  )
}

const exchangeOf = (row: ExchangeRow): Exchange => ({
  kind: row.is_send ? 'send' : 'answer',
  position: row.position,
  atMs: row.at_ms,
  ...(row.message_id !== null && { messageId: row.message_id }),
  ...(row.content_digest !== null && { contentDigest: row.content_digest }),
})

interface MarkRow {
  readonly stream_key: Buffer
  readonly reason: SuggestionReason
  readonly worker_key: Buffer
  readonly mark_key: Buffer
  readonly at_ms: number
  readonly position: number
  readonly has_task: boolean
  readonly is_synthetic: boolean
}

const markColumns = 'stream_key, reason, worker_key, mark_key, at_ms, position, has_task, is_synthetic'

/** Call it in a transaction. Marks that are there already are not written again. */
export async function saveMarks(client: pg.ClientBase, marks: ReadonlyMap<string, readonly LinkMark[]>): Promise<void> {
  const keys = [...marks.keys()].map(streamKey)
  const { rows: stored } = await client.query<MarkRow>(`SELECT ${markColumns} FROM link_marks WHERE stream_key = ANY($1::bytea[])`, [keys])
  const idOf = (row: MarkRow): string =>
    JSON.stringify([row.stream_key.toString('hex'), row.reason, row.worker_key.toString('hex'), row.mark_key.toString('hex'), row.at_ms, row.position, row.has_task])
  const wanted = new Map([...marks].flatMap(([correlationId, own]) => own.map((mark) => rowOf(correlationId, mark))).map((row) => [idOf(row), row]))
  const known = new Set(stored.map(idOf))
  const gone = stored.filter((row) => !wanted.has(idOf(row)))
  const added = [...wanted].filter(([id]) => !known.has(id)).map(([, row]) => row)
  if (gone.length > 0) {
    await client.query(
      `DELETE FROM link_marks USING unnest($1::bytea[], $2::text[], $3::bytea[], $4::bytea[]) AS gone (stream_key, reason, worker_key, mark_key)
        WHERE (link_marks.stream_key, link_marks.reason, link_marks.worker_key, link_marks.mark_key)
            = (gone.stream_key, gone.reason, gone.worker_key, gone.mark_key)`,
      [gone.map((row) => row.stream_key), gone.map((row) => row.reason), gone.map((row) => row.worker_key), gone.map((row) => row.mark_key)],
    )
  }
  if (added.length === 0) return
  await client.query(
    `INSERT INTO link_marks (${markColumns})
     SELECT * FROM unnest($1::bytea[], $2::text[], $3::bytea[], $4::bytea[], $5::bigint[], $6::bigint[], $7::boolean[], $8::boolean[])
     ON CONFLICT (stream_key, reason, worker_key, mark_key) DO UPDATE
       SET at_ms = excluded.at_ms, position = excluded.position, has_task = excluded.has_task`,
    [
      added.map((row) => row.stream_key),
      added.map((row) => row.reason),
      added.map((row) => row.worker_key),
      added.map((row) => row.mark_key),
      added.map((row) => row.at_ms),
      added.map((row) => row.position),
      added.map((row) => row.has_task),
      added.map((row) => row.is_synthetic),
    ],
  )
}

const rowOf = (correlationId: string, mark: LinkMark): MarkRow => ({
  stream_key: streamKey(correlationId),
  reason: mark.reason,
  worker_key: workerKey(mark.workerId),
  mark_key: markKey(mark.key),
  at_ms: mark.atMs,
  position: mark.position,
  has_task: mark.hasTask,
  is_synthetic: isReservedCorrelationId(correlationId),
})

/** One row of `suggested_links`. */
interface PairRow {
  readonly earlier_key: Buffer
  readonly later_key: Buffer
  readonly reason: SuggestionReason
  readonly earlier_worker_key: Buffer
  readonly later_worker_key: Buffer
  readonly earlier_position: number
  readonly later_position: number
  readonly have_tasks: boolean
}

const pairColumns = 'earlier_key, later_key, reason, earlier_worker_key, later_worker_key, earlier_position, later_position, have_tasks'

/**
 * Call it in a transaction, after the marks of these tasks were committed.
 *
 * Most tasks share nothing, or what is written already: they wait for nobody. Nothing is missed by that,
 * since whoever commits a mark after it was looked for looks for pairs then.
 */
export async function savePairs(client: pg.ClientBase, correlationIds: readonly string[]): Promise<void> {
  const keys = correlationIds.map(streamKey)
  const { rows: written } = await client.query<PairRow>(
    `SELECT ${pairColumns} FROM suggested_links WHERE earlier_key = ANY($1::bytea[]) OR later_key = ANY($1::bytea[])`,
    [keys],
  )
  const known = new Set(written.map(pairIdOf))
  const found = await findPairs(client, keys)
  if (found.length === written.length && found.every((pair) => known.has(pairIdOf(pair)))) return
  await client.query('SELECT pg_advisory_xact_lock($1)', [advisoryLock])
  const pairs = await findPairs(client, keys)
  await deletePairs(client, keys)
  if (pairs.length === 0) return
  await client.query(
    `INSERT INTO suggested_links (${pairColumns})
     SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::text[], $4::bytea[], $5::bytea[], $6::bigint[], $7::bigint[], $8::boolean[])
     ON CONFLICT DO NOTHING`,
    [
      pairs.map((pair) => pair.earlier_key),
      pairs.map((pair) => pair.later_key),
      pairs.map((pair) => pair.reason),
      pairs.map((pair) => pair.earlier_worker_key),
      pairs.map((pair) => pair.later_worker_key),
      pairs.map((pair) => pair.earlier_position),
      pairs.map((pair) => pair.later_position),
      pairs.map((pair) => pair.have_tasks),
    ],
  )
}

const pairIdOf = (pair: PairRow): string =>
  JSON.stringify([
    ...[pair.earlier_key, pair.later_key, pair.earlier_worker_key, pair.later_worker_key].map((key) => key.toString('hex')),
    pair.reason,
    pair.earlier_position,
    pair.later_position,
    pair.have_tasks,
  ])

async function deletePairs(client: pg.ClientBase, keys: readonly Buffer[]): Promise<void> {
  await client.query('DELETE FROM suggested_links WHERE earlier_key = ANY($1::bytea[]) OR later_key = ANY($1::bytea[])', [keys])
}

type Partner = { readonly [Column in keyof MarkRow as `other_${Column}`]: MarkRow[Column] }

/** Of each mark of these tasks the nearest partners, none where it is routine; of two tasks the strongest reason. */
async function findPairs(client: pg.ClientBase, keys: readonly Buffer[]): Promise<readonly PairRow[]> {
  const { rows } = await client.query<MarkRow & Partner>(
    `SELECT own.*, other.* FROM link_marks AS own
       JOIN unnest($2::text[], $3::bigint[]) AS window_of (reason, window_ms) ON window_of.reason = own.reason
      CROSS JOIN LATERAL (
        SELECT stream_key AS other_stream_key, reason AS other_reason, worker_key AS other_worker_key, mark_key AS other_mark_key,
               at_ms AS other_at_ms, position AS other_position, has_task AS other_has_task, is_synthetic AS other_is_synthetic
          FROM link_marks AS known
         WHERE known.mark_key = own.mark_key AND known.reason = own.reason AND known.stream_key <> own.stream_key
           AND known.at_ms BETWEEN own.at_ms - window_of.window_ms AND own.at_ms + window_of.window_ms
           AND CASE own.reason WHEN 'same-content' THEN own.is_synthetic OR known.is_synthetic ELSE own.is_synthetic <> known.is_synthetic END
           AND (SELECT mesh FROM workers WHERE worker_key = known.worker_key) = (SELECT mesh FROM workers WHERE worker_key = own.worker_key)
         ORDER BY abs(known.at_ms - own.at_ms), known.position LIMIT $4) AS other
      WHERE own.stream_key = ANY($1::bytea[])
      ORDER BY own.position, abs(other.other_at_ms - own.at_ms), other.other_position`,
    [keys, [...suggestionReasons], suggestionReasons.map((reason) => suggestionWindowMs[reason]), routineCount + 1],
  )
  const byMark = Map.groupBy(rows, (row) => JSON.stringify([row.stream_key.toString('hex'), row.reason, row.worker_key.toString('hex'), row.mark_key.toString('hex')]))
  const near = [...byMark.values()].flatMap((found) => (found.length > routineCount ? [] : found.slice(0, partnersMax)))
  const strongestFirst = near.toSorted((left, right) => suggestionReasons.indexOf(left.reason) - suggestionReasons.indexOf(right.reason))
  const pairs = new Map<string, PairRow>()
  for (const row of strongestFirst) {
    const id = [row.stream_key, row.other_stream_key].map((key) => key.toString('hex')).toSorted().join()
    if (!pairs.has(id)) pairs.set(id, pairOf(row))
  }
  return [...pairs.values()]
}

const pairOf = (row: MarkRow & Partner): PairRow => {
  const own = { key: row.stream_key, workerKey: row.worker_key, position: row.position }
  const other = { key: row.other_stream_key, workerKey: row.other_worker_key, position: row.other_position }
  const [earlier, later] = own.position <= other.position ? [own, other] : [other, own]
  return {
    earlier_key: earlier.key,
    later_key: later.key,
    reason: row.reason,
    earlier_worker_key: earlier.workerKey,
    later_worker_key: later.workerKey,
    earlier_position: earlier.position,
    later_position: later.position,
    have_tasks: row.has_task && row.other_has_task,
  }
}

/** These streams are no tasks any more. Call it in a transaction. */
export async function dropMarks(client: pg.ClientBase, keys: readonly Buffer[]): Promise<void> {
  if (keys.length === 0) return
  await client.query('SELECT pg_advisory_xact_lock($1)', [advisoryLock])
  await client.query('DELETE FROM link_marks WHERE stream_key = ANY($1::bytea[])', [keys])
  await deletePairs(client, keys)
}

interface SharedRow {
  readonly earlier_id: string
  readonly later_id: string
  readonly earlier_worker: string
  readonly later_worker: string
  readonly earlier_position: number
  readonly later_position: number
  readonly reason: SuggestionReason
  readonly have_tasks: boolean
  readonly undone_at: number | null
}

const shared = `
  SELECT earlier.correlation_id AS earlier_id, later.correlation_id AS later_id,
         earlier_worker.worker_id AS earlier_worker, later_worker.worker_id AS later_worker,
         earlier_position, later_position, reason, have_tasks,
         (SELECT max(position) FROM links
           WHERE NOT is_linked AND (synthetic_key, real_key) IN ((earlier_key, later_key), (later_key, earlier_key))) AS undone_at
    FROM suggested_links
    JOIN streams AS earlier ON earlier.stream_key = earlier_key
    JOIN streams AS later ON later.stream_key = later_key
    JOIN workers AS earlier_worker ON earlier_worker.worker_key = earlier_worker_key
    JOIN workers AS later_worker ON later_worker.worker_key = later_worker_key`

const sharedOf = (row: SharedRow): SharedMark => ({
  correlationIds: [row.earlier_id, row.later_id],
  workerIds: [row.earlier_worker, row.later_worker],
  positions: [row.earlier_position, row.later_position],
  reason: row.reason,
  haveTasks: row.have_tasks,
  ...(row.undone_at !== null && { undoneAt: row.undone_at }),
})

export async function suggestionsFor(client: pg.Pool, correlationId: string, limit: number): Promise<readonly SharedMark[]> {
  const { rows } = await client.query<SharedRow>(
    `${shared} WHERE earlier_key = $1 OR later_key = $1 ORDER BY later_position, earlier_position LIMIT $2`,
    [streamKey(correlationId), limit],
  )
  return rows.map(sharedOf)
}

export async function listSuggestions(
  client: pg.Pool,
  [later, earlier]: readonly [number, number],
  limit: number,
): Promise<readonly SharedMark[]> {
  const { rows } = await client.query<SharedRow>(
    `${shared} WHERE (later_position, earlier_position) > ($1, $2) ORDER BY later_position, earlier_position LIMIT $3`,
    [later, earlier, limit],
  )
  return rows.map(sharedOf)
}
