import type { ClientBase } from 'pg'
import { bytesOfAll } from '../hex.ts'
import { positionOf } from '../position.ts'

export interface RecordedKey {
  readonly position: number
  readonly contentHash: string
  /** `undefined` when the event is archived; its key outlives it (L3). */
  readonly correlationId: string | undefined
}

interface Row {
  readonly key_hash: string
  readonly position: string
  readonly content_hash: string
  readonly correlation_id: string | null
}

/** Which of `keys` are recorded (L2). Primary keys of `event_key`, then of `events`. */
export async function findKeys(client: ClientBase, keys: readonly string[]): Promise<ReadonlyMap<string, RecordedKey>> {
  const { rows } = await client.query<Row>({
    name: 'find_keys',
    text: `SELECT encode(event_key.key_hash, 'hex') AS key_hash, event_key.position,
      encode(event_key.content_hash, 'hex') AS content_hash, events.correlation_id
    FROM unnest($1::bytea[]) AS wanted (key_hash)
    JOIN ledger.event_key USING (key_hash)
    LEFT JOIN ledger.events ON events.position = event_key.position`,
    values: [bytesOfAll(keys)],
  })
  return new Map(
    rows.map((row) => [
      row.key_hash,
      {
        position: positionOf(row.position),
        contentHash: row.content_hash,
        correlationId: row.correlation_id ?? undefined,
      },
    ]),
  )
}
