/** `node src/migrate.ts`: the script that `npm run migrate` runs for this service. */
import { migrateReconciler } from './adapters/postgres/migrations.ts'

export { migrateReconciler }

if (import.meta.main) {
  const {
    DATABASE_URL = '',
    RECONCILER_DATABASE_URL = DATABASE_URL,
    DATABASE_ADMIN_URL = RECONCILER_DATABASE_URL,
  } = process.env
  await migrateReconciler(DATABASE_ADMIN_URL, RECONCILER_DATABASE_URL)
}
