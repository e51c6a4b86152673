import type { StreamLink } from '@a2a-ledger/domain'
import type { ClientBase } from 'pg'
import { bytesOfAll } from '../hex.ts'

/** Where the first event on each stream went (K2). Primary key of `stream_link`. */
export async function findStreamLinks(
  client: ClientBase,
  streams: ReadonlySet<string>,
): Promise<ReadonlyMap<string, StreamLink | undefined>> {
  const { rows } = await client.query<{ stream: string; correlation_id: string; task: string | null }>({
    name: 'find_stream_links',
    text: `SELECT encode(stream_hash, 'hex') AS stream, correlation_id, encode(task_hash, 'hex') AS task
    FROM ledger.stream_link WHERE stream_hash = ANY ($1::bytea[])`,
    values: [bytesOfAll(streams)],
  })
  const found = new Map<string, StreamLink | undefined>(Array.from(streams, (stream) => [stream, undefined]))
  for (const row of rows) {
    found.set(row.stream, { correlationId: row.correlation_id, ...(row.task !== null && { task: row.task }) })
  }
  return found
}
