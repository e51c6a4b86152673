/** The reconciler's part of a database, and who may work on it. */
import { join } from 'node:path'
import { LedgerError } from '@a2a-ledger/domain'
import { notReady } from '@a2a-ledger/service-kit/database-access'
import { applyMigrations, pendingMigrations } from '@a2a-ledger/service-kit/migrations'
import type pg from 'pg'
import { isWithheld, withStoreErrors } from './pool.ts'

/** The files that make the schema; they run with the schema first in the search path. */
export const migrationsFolder = join(import.meta.dirname, '../../../migrations')

export const schemaName = 'reconciler'

/** The schema is up to date, and the user of `serviceUrl` may work in it. Idempotent. */
export const migrateReconciler = (adminUrl: string, serviceUrl: string): Promise<void> =>
  applyMigrations({
    adminUrl,
    schema: schemaName,
    folder: migrationsFolder,
    grants: [{ role: 'a2a_ledger_reconciler', url: serviceUrl }],
  })

/**
 * Returns when every migration of this version is applied.
 *
 * Errors: throws `store_unavailable` when Postgres does not answer; an `Error` that says what to run
 * when the database is not ready for this version.
 */
export async function checkMigrated(pool: pg.Pool): Promise<void> {
  const missing = await withStoreErrors(() => pendingMigrations(pool, schemaName, migrationsFolder)).catch((error: unknown) => {
    if (!(error instanceof LedgerError)) throw notReadyFor(error)
    throw isWithheld(error.cause) ? notReadyFor(error.cause) : error
  })
  if (missing.length > 0) throw notReadyFor(`it lacks ${missing.join(', ')}`)
}

const notReadyFor = (cause: unknown): Error =>
  notReady('reconciler', 'RECONCILER_DATABASE_URL (where it is not set: DATABASE_URL)', cause)
