import type { EventAttributes } from '@a2a-ledger/domain'
import type { ClientBase } from 'pg'
import { positionOf } from '../position.ts'

export interface RecordedContent {
  readonly attributes: EventAttributes
  /** `undefined` when erased. */
  readonly data: Uint8Array | undefined
}

interface Row {
  readonly position: string
  readonly attributes: EventAttributes
  readonly data: Buffer | null
}

/** What a second event under one key is compared with (L2). Primary keys. */
export async function findRecordedContent(
  client: ClientBase,
  positions: readonly number[],
): Promise<ReadonlyMap<number, RecordedContent>> {
  const { rows } = await client.query<Row>(
    `SELECT events.position, events.attributes, payloads.data
    FROM unnest($1::bigint[]) AS wanted (position)
    JOIN ledger.events USING (position)
    LEFT JOIN ledger.payloads ON payloads.position = events.payload_position`,
    [positions],
  )
  return new Map(
    rows.map(({ position, attributes, data }) => [positionOf(position), { attributes, data: data ?? undefined }]),
  )
}
