/** The ledger's part of a database, and who may work on it. */
import { applyMigrations } from '@a2a-ledger/service-kit/migrations'
import { migrationsFolder } from './check-migrated.ts'

/**
 * Every migration is applied, and the users of `serviceUrl` and `readerUrl` may work as the roles
 * `a2a_ledger_service` and `a2a_ledger_reader`. Who writes may read the published views too: a
 * reconciler that is given the ledger's own URL follows the feed with it.
 *
 * Idempotent. Throws what PostgreSQL said, with the name of the file; earlier files stay applied.
 */
export const migrateLedger = (adminUrl: string, serviceUrl: string, readerUrl: string = serviceUrl): Promise<void> =>
  applyMigrations({
    adminUrl,
    schema: 'ledger',
    folder: migrationsFolder,
    grants: [
      { role: 'a2a_ledger_service', url: serviceUrl },
      { role: 'a2a_ledger_reader', url: serviceUrl },
      { role: 'a2a_ledger_reader', url: readerUrl },
    ],
  })
