import type { ClientBase } from 'pg'
import { bytesOfAll } from '../hex.ts'
import { positionOf } from '../position.ts'

/** How far back identical bytes are looked for: two partitions at most, whatever the log's length. */
const sharedWithin = 1_000_000

/** Where bytes with these digests are stored already (L13). Index `payloads_digest`. */
export async function findPayloads(
  client: ClientBase,
  digests: ReadonlySet<string>,
  head: number,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await client.query<{ digest: string; position: string }>({
    name: 'find_payloads',
    text: `SELECT encode(wanted.digest, 'hex') AS digest, found.position
    FROM unnest($1::bytea[]) AS wanted (digest)
    CROSS JOIN LATERAL (
      SELECT position FROM ledger.payloads
      WHERE digest = wanted.digest AND position > $2
      LIMIT 1
    ) AS found`,
    values: [bytesOfAll(digests), Math.max(0, head - sharedWithin)],
  })
  return new Map(rows.map(({ digest, position }) => [digest, positionOf(position)]))
}
