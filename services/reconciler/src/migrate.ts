/** `node src/migrate.ts`: the script that `npm run migrate` runs for this service. */
import { runMigrationScript } from '@a2a-ledger/service-kit/migrations'
import { migrateReconciler } from './adapters/postgres/migrations.ts'

export { migrateReconciler }

if (import.meta.main) {
  const {
    DATABASE_URL = '',
    RECONCILER_DATABASE_URL = DATABASE_URL,
    DATABASE_ADMIN_URL = RECONCILER_DATABASE_URL,
  } = process.env
  await runMigrationScript(() => migrateReconciler(DATABASE_ADMIN_URL, RECONCILER_DATABASE_URL))
}
