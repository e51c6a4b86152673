/** `node src/migrate.ts`: the script that `npm run migrate` runs for this service. */
import { migrateLedger } from './adapters/postgres/migrate-ledger.ts'

export { migrateLedger }

if (import.meta.main) {
  const { DATABASE_URL = '', DATABASE_ADMIN_URL = DATABASE_URL, RECONCILER_DATABASE_URL = DATABASE_URL } = process.env
  await migrateLedger(DATABASE_ADMIN_URL, DATABASE_URL, RECONCILER_DATABASE_URL)
}
