import type { ClientBase, Pool } from 'pg'
import { bytesOfAll } from '../hex.ts'

/** The salted secrets of all `subjects` (L10). Primary key of `push_secret`. */
export async function findPushSecrets(client: ClientBase | Pool, subjects: readonly string[]): Promise<readonly string[]> {
  const { rows } = await client.query<{ secret: string }>({
    name: 'find_push_secrets',
    text: `SELECT DISTINCT encode(secret_hash, 'hex') AS secret
    FROM ledger.push_secret WHERE subject_hash = ANY ($1::bytea[])`,
    values: [bytesOfAll(subjects)],
  })
  return rows.map(({ secret }) => secret)
}
