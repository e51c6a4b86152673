import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { PoolClient } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { copyRow, type CopyValue } from './copy-row.ts'

/** Characters handed to the socket at once. */
const chunkLength = 262_144

/** Appends `rows` to `ledger.<table>` by COPY; no rows, no statement. */
export async function copyInto(
  client: PoolClient,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly CopyValue[])[],
): Promise<void> {
  if (rows.length === 0) return
  const statement = `COPY ledger.${table} (${columns.join(', ')}) FROM STDIN`
  await pipeline(Readable.from(chunksOf(rows)), client.query(copyFrom(statement)))
}

function* chunksOf(rows: readonly (readonly CopyValue[])[]): Generator<Buffer> {
  let text = ''
  for (const row of rows) {
    text += copyRow(row)
    if (text.length < chunkLength) continue
    yield Buffer.from(text)
    text = ''
  }
  if (text !== '') yield Buffer.from(text)
}
