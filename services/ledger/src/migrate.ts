/** `node src/migrate.ts`: the script that `npm run migrate` runs for this service. */
import { runMigrationScript } from '@a2a-ledger/service-kit/migrations'
import { migrateLedger } from './adapters/postgres/migrate-ledger.ts'

export { migrateLedger }

if (import.meta.main) {
  const { DATABASE_URL = '', DATABASE_ADMIN_URL = DATABASE_URL, RECONCILER_DATABASE_URL = DATABASE_URL } = process.env
  await runMigrationScript(() => migrateLedger(DATABASE_ADMIN_URL, DATABASE_URL, RECONCILER_DATABASE_URL))
}
