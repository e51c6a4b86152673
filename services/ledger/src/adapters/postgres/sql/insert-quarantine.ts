import type { ClientBase } from 'pg'
import type { QuarantineRow } from '../../../app/prepared.ts'

/** Text that PostgreSQL can hold, for people to read; the exact bytes are kept beside it. */
const readable = (text: string): string => text.toWellFormed().replaceAll('\u0000', '\ufffd')

/** Keeps an input that is not recorded; the same input again changes nothing. */
export async function insertQuarantine(client: ClientBase, row: QuarantineRow): Promise<void> {
  await client.query(
    `INSERT INTO ledger.quarantine (id, reason, detail, via, source, headers, attributes, bytes)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT (id) DO NOTHING`,
    [
      row.id,
      row.reason,
      readable(row.detail),
      row.via,
      row.source === undefined ? null : readable(row.source),
      JSON.stringify(row.headers),
      row.attributes === undefined ? null : JSON.stringify(row.attributes),
      Buffer.from(row.bytes.buffer, row.bytes.byteOffset, row.bytes.length),
    ],
  )
}
