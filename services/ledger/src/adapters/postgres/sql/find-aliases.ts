import type { Alias } from '@a2a-ledger/domain'
import type { ClientBase } from 'pg'
import { bytesOfAll } from '../hex.ts'
import { positionOf } from '../position.ts'

/** What became of each synthetic stream, newest first (K6). Primary key of `alias`, backwards. */
export async function findAliases(
  client: ClientBase,
  streams: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly Alias[]>> {
  const { rows } = await client.query<{ stream: string; to_id: string; position: string; is_linked: boolean; is_by_hand: boolean }>({
    name: 'find_aliases',
    text: `SELECT encode(wanted.stream_hash, 'hex') AS stream, newest.to_id, newest.position, newest.is_linked, newest.is_by_hand
    FROM unnest($1::bytea[]) AS wanted (stream_hash)
    CROSS JOIN LATERAL (
      SELECT to_id, position, is_linked, is_by_hand FROM ledger.alias
      WHERE from_hash = wanted.stream_hash
      ORDER BY position DESC LIMIT 20
    ) AS newest
    ORDER BY newest.position DESC`,
    values: [bytesOfAll(streams)],
  })
  const found = new Map<string, Alias[]>(Array.from(streams, (stream) => [stream, []]))
  for (const row of rows) {
    const { to_id: to, is_linked: isLinked, is_by_hand: isByHand } = row
    found.get(row.stream)?.push({ to, position: positionOf(row.position), isLinked, isByHand })
  }
  return found
}
