import type { MessageLink } from '@a2a-ledger/domain'
import type { ClientBase } from 'pg'
import { bytesOfAll } from '../hex.ts'
import { positionOf } from '../position.ts'

interface Row {
  readonly message: string
  readonly correlation_id: string
  readonly position: string
  readonly first_ms: string
  readonly named_task: string | null
}

/** The newest dispatch of each message for each correlation ID, and when the first one was sent (K3). Primary key of `message_link`. */
export async function findMessageLinks(
  client: ClientBase,
  messages: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly MessageLink[]>> {
  const { rows } = await client.query<Row>({
    name: 'find_message_links',
    text: `SELECT encode(wanted.message_hash, 'hex') AS message, newest.correlation_id, newest.position, newest.first_ms,
      encode(newest.named_task_hash, 'hex') AS named_task
    FROM unnest($1::bytea[]) AS wanted (message_hash)
    CROSS JOIN LATERAL (
      SELECT DISTINCT ON (correlation_id) correlation_id, position, named_task_hash,
        min(witness_ms) OVER (PARTITION BY correlation_id) AS first_ms
      FROM ledger.message_link
      WHERE message_hash = wanted.message_hash
      ORDER BY correlation_id, position DESC
    ) AS newest`,
    values: [bytesOfAll(messages)],
  })
  const links = new Map<string, MessageLink[]>(Array.from(messages, (message) => [message, []]))
  for (const row of rows) {
    links.get(row.message)?.push({
      correlationId: row.correlation_id,
      position: positionOf(row.position),
      firstMs: Number(row.first_ms),
      ...(row.named_task === null ? {} : { namedTask: row.named_task }),
    })
  }
  return links
}
