/** The read side (`LedgerReader`) on Postgres. */
import { LedgerError, type CorrelationKeys } from '@a2a-ledger/domain'
import { Kysely, PostgresDialect } from 'kysely'
import type { Pool } from 'pg'
import type { LedgerReader } from '../../app/ports.ts'
import { findDurability } from './sql/find-durability.ts'
import { findEvent, findEvents, type ReadTables } from './sql/find-events.ts'
import { findIdentity } from './sql/find-identity.ts'
import { findQuarantined, findQuarantinedInput } from './sql/find-quarantined.ts'
import { storeCall } from './store-call.ts'

/** Reads through `pool`. */
export function createPostgresReader(pool: Pool, keys: CorrelationKeys): LedgerReader {
  const db = new Kysely<ReadTables>({ dialect: new PostgresDialect({ pool }) })
  return {
    events: (filter, after, limit) => storeCall(() => findEvents(db, keys, { filter, after, limit })),
    event: (position) => storeCall(() => findEvent(db, position)),
    quarantined: (after, limit, reason) => storeCall(() => findQuarantined(db, { after, limit, reason })),
    quarantinedInput: (id) => storeCall(() => findQuarantinedInput(db, id)),
    identity: () =>
      storeCall(async () => {
        const { ledgerId, epoch, head } = await findIdentity(pool)
        return { ledgerId, epoch, head }
      }),
    internalToken: () => storeCall(async () => (await findIdentity(pool)).internalToken),
    durability: async () => {
      const durability = await storeCall(() => findDurability(pool))
      if (durability !== 'read-only') return durability
      throw new LedgerError('store_unavailable', 'Postgres is read-only; reads are answered, events are refused.')
    },
  }
}
