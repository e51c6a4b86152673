import type { ClientBase, Pool } from 'pg'
import { positionOf } from '../position.ts'

export interface StoredIdentity {
  readonly ledgerId: string
  readonly epoch: number
  readonly internalToken: string
  /** Hex. */
  readonly secretSalt: string
  readonly head: number
}

interface Row {
  readonly ledger_id: string
  readonly epoch: number
  readonly internal_token: string
  readonly secret_salt: string
  readonly head: string
}

/** Which log this is and how long (L7). Primary key of the newest partition, backwards. */
export async function findIdentity(client: ClientBase | Pool): Promise<StoredIdentity> {
  const { rows } = await client.query<Row>(
    `SELECT ledger_id, epoch, internal_token, encode(secret_salt, 'hex') AS secret_salt,
      coalesce((SELECT position FROM ledger.events ORDER BY position DESC LIMIT 1), 0) AS head
    FROM ledger.identity`,
  )
  const row = rows[0]
  if (row === undefined) throw new TypeError('The ledger has no identity.')
  return {
    ledgerId: row.ledger_id,
    epoch: row.epoch,
    internalToken: row.internal_token,
    secretSalt: row.secret_salt,
    head: positionOf(row.head),
  }
}
