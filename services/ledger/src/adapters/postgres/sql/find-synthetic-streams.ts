import type { ClientBase } from 'pg'
import { bytesOfAll } from '../hex.ts'

/** Which synthetic streams hold events (K6). Primary key of `synthetic_stream`. */
export async function findSyntheticStreams(
  client: ClientBase,
  streams: ReadonlySet<string>,
): Promise<ReadonlyMap<string, boolean>> {
  const { rows } = await client.query<{ stream: string; has_events: boolean }>({
    name: 'find_synthetic_streams',
    text: `SELECT encode(wanted.stream_hash, 'hex') AS stream,
      EXISTS (SELECT FROM ledger.synthetic_stream WHERE stream_hash = wanted.stream_hash) AS has_events
    FROM unnest($1::bytea[]) AS wanted (stream_hash)`,
    values: [bytesOfAll(streams)],
  })
  return new Map(rows.map((row) => [row.stream, row.has_events]))
}
