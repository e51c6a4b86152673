import type { ClientBase } from 'pg'
import { bytesOfAll } from '../hex.ts'
import { positionOf } from '../position.ts'
import { isStanding } from './is-standing.ts'

/**
 * The newest event of each stream, those of synthetic streams that are linked to it included, and what
 * came or went by links; 0 for none (L14). Indexes `alias_to`, `move_to` and the primary key of `alias`,
 * and `events_correlation`, the latter backwards. What leaves a stream is recorded in it.
 */
export async function findLastOfStreams(
  client: ClientBase,
  streams: ReadonlySet<string>,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await client.query<{ stream: string; position: string }>({
    name: 'find_last_of_streams',
    text: `SELECT encode(wanted.stream_hash, 'hex') AS stream, coalesce(max(newest.position), 0) AS position
    FROM unnest($1::bytea[]) AS wanted (stream_hash)
    CROSS JOIN LATERAL (
      SELECT wanted.stream_hash AS part_hash
      UNION SELECT alias.from_hash FROM ledger.alias
      WHERE alias.to_hash = wanted.stream_hash AND ${isStanding('alias')}
    ) AS part
    CROSS JOIN LATERAL (
      (SELECT position FROM ledger.events WHERE correlation_hash = part.part_hash ORDER BY position DESC LIMIT 1)
      UNION ALL
      (SELECT position FROM ledger.alias WHERE from_hash = wanted.stream_hash ORDER BY position DESC LIMIT 1)
      UNION ALL
      (SELECT position FROM ledger.move WHERE to_hash = wanted.stream_hash ORDER BY position DESC LIMIT 1)
      UNION ALL SELECT 0
    ) AS newest
    GROUP BY wanted.stream_hash`,
    values: [bytesOfAll(streams)],
  })
  return new Map(rows.map((row) => [row.stream, positionOf(row.position)]))
}
