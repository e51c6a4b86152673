import type { QuarantineReason } from '@a2a-ledger/domain'
import type { Kysely } from 'kysely'
import type { QuarantineEntry, QuarantineInput, Via } from '../../../app/ports.ts'
import { positionOf } from '../position.ts'
import type { ReadTables } from './find-events.ts'

interface Page {
  /** Id of an entry; an unknown one is before all others. */
  readonly after: string | undefined
  readonly limit: number
  readonly reason: QuarantineReason | undefined
}

/** Entries in order of arrival. Unique index on `arrival`, or `quarantine_reason`. */
export async function findQuarantined(db: Kysely<ReadTables>, { after, limit, reason }: Page): Promise<readonly QuarantineEntry[]> {
  let query = selectEntries(db).orderBy('entry.arrival').limit(limit)
  if (after !== undefined) {
    query = query.where((where) =>
      where(
        'entry.arrival',
        '>',
        where.fn.coalesce(
          where.selectFrom('ledger.quarantine').select('arrival').where('id', '=', after),
          where.val('0'),
        ),
      ),
    )
  }
  if (reason !== undefined) query = query.where('entry.reason', '=', reason)
  return (await query.execute()).map(toEntry)
}

/** One entry with everything a replay needs. Primary key. */
export async function findQuarantinedInput(
  db: Kysely<ReadTables>,
  id: string,
): Promise<(QuarantineEntry & QuarantineInput) | undefined> {
  const row = await selectEntries(db)
    .select(['entry.headers', 'entry.attributes', 'entry.bytes'])
    .where('entry.id', '=', id)
    .executeTakeFirst()
  if (row === undefined) return undefined
  return { ...toEntry(row), bytes: row.bytes, headers: row.headers, attributes: row.attributes ?? undefined }
}

const selectEntries = (db: Kysely<ReadTables>) =>
  db.selectFrom('ledger.quarantine as entry').select((select) => [
    'entry.id',
    'entry.reason',
    'entry.detail',
    'entry.via',
    'entry.source',
    'entry.received_at',
    select.fn<number>('octet_length', ['entry.bytes']).as('byte_count'),
    select
      .selectFrom('ledger.quarantine_replay as replay')
      .select((replay) => replay.fn.max('replay.position').as('position'))
      .whereRef('replay.id', '=', 'entry.id')
      .as('replayed_as'),
  ])

const toEntry = (row: {
  readonly id: string
  readonly reason: string
  readonly detail: string
  readonly via: string
  readonly source: string | null
  readonly received_at: Date
  readonly byte_count: number
  readonly replayed_as: string | null
}): QuarantineEntry => ({
  id: row.id,
  // The two lists are closed in the domain, and only rows made from them are inserted.
  reason: row.reason as QuarantineReason,
  via: row.via as Via,
  detail: row.detail,
  source: row.source ?? undefined,
  receivedAtMs: row.received_at.getTime(),
  byteCount: row.byte_count,
  replayedAs: row.replayed_as === null ? undefined : positionOf(row.replayed_as),
})
