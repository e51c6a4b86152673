/** `node src/migrate.ts`: the script that `npm run migrate` runs for this service. */
import { join } from 'node:path'
import { applyMigrations } from '@a2a-ledger/service-kit/migrations'

/** The files that make the reconciler's schema. */
export const migrationsFolder = join(import.meta.dirname, '../migrations')

/** The schema `reconciler` is up to date, and the user of `serviceUrl` may work in it. Idempotent. */
export const migrateReconciler = (adminUrl: string, serviceUrl: string): Promise<void> =>
  applyMigrations({
    adminUrl,
    schema: 'reconciler',
    folder: migrationsFolder,
    grants: [{ role: 'a2a_ledger_reconciler', url: serviceUrl }],
  })

if (import.meta.main) {
  const {
    DATABASE_URL = '',
    RECONCILER_DATABASE_URL = DATABASE_URL,
    DATABASE_ADMIN_URL = RECONCILER_DATABASE_URL,
  } = process.env
  await migrateReconciler(DATABASE_ADMIN_URL, RECONCILER_DATABASE_URL)
}
