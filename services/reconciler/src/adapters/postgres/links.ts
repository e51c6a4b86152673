/** Links of synthetic streams, as they stand (K6). */
import type pg from 'pg'
import type { LinkChange } from '../../app/ports.ts'
import { streamKey } from './keys.ts'

interface Row {
  readonly synthetic_id: string
  readonly real_id: string
  readonly position: number
  readonly is_linked: boolean
  readonly by_whom: string | null
  readonly because: string | null
}

const columns = 'synthetic_id, real_id, position, is_linked, by_whom, because'

const linkOf = (row: Row): LinkChange => ({
  from: row.synthetic_id,
  to: row.real_id,
  position: row.position,
  isLinked: row.is_linked,
  by: row.by_whom ?? undefined,
  because: row.because ?? undefined,
})

export async function loadLink(client: pg.ClientBase | pg.Pool, from: string): Promise<LinkChange | undefined> {
  const { rows } = await client.query<Row>(`SELECT ${columns} FROM links WHERE synthetic_key = $1`, [streamKey(from)])
  return rows[0] && linkOf(rows[0])
}

export async function listLinks(client: pg.ClientBase | pg.Pool, after: number, limit: number): Promise<readonly LinkChange[]> {
  const { rows } = await client.query<Row>(
    `SELECT ${columns} FROM links WHERE is_linked AND position > $1 ORDER BY position LIMIT $2`,
    [after, limit],
  )
  return rows.map(linkOf)
}
