import type { ClientBase } from 'pg'
import { bytesOfHex } from '../hex.ts'

export interface PushSecretRow {
  readonly subjectHash: string
  readonly secretHash: string
  readonly position: number
}

/** Adds salted secrets (L10); a secret configured again changes nothing. */
export async function insertPushSecrets(client: ClientBase, rows: readonly PushSecretRow[]): Promise<void> {
  await client.query(
    `INSERT INTO ledger.push_secret (subject_hash, secret_hash, position)
    SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bigint[])
    ON CONFLICT DO NOTHING`,
    [
      rows.map(({ subjectHash }) => bytesOfHex(subjectHash)),
      rows.map(({ secretHash }) => bytesOfHex(secretHash)),
      rows.map(({ position }) => position),
    ],
  )
}
