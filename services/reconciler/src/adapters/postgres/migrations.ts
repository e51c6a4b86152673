/** The reconciler's part of a database, and who may work on it. */
import { join } from 'node:path'
import { LedgerError } from '@a2a-ledger/domain'
import { type DatabaseLogin, notReady } from '@a2a-ledger/service-kit/database-access'
import { applyMigrations, pendingMigrations } from '@a2a-ledger/service-kit/migrations'
import type pg from 'pg'
import { isWithheld, withStoreErrors } from './pool.ts'

/** The files that make the schema; they run with the schema first in the search path. */
export const migrationsFolder = join(import.meta.dirname, '../../../migrations')

export const schemaName = 'reconciler'

/** Of the views; who may write them is the reconciler. */
const viewsLogin: DatabaseLogin = { urlVariable: 'RECONCILER_DATABASE_URL (where it is not set: DATABASE_URL)', role: 'a2a_ledger_reconciler' }
/** Of the ledger, which is only read. */
const feedLogin: DatabaseLogin = { urlVariable: 'DATABASE_URL', role: 'a2a_ledger_reader' }
/** What is read of the ledger's own schema. */
const publishedViews = ['feed_v1', 'access_v1', 'relay_v1', 'push_repeats_v1']

/** The schema is up to date, and the user of `serviceUrl` may work in it. Idempotent. */
export const migrateReconciler = (adminUrl: string, serviceUrl: string): Promise<void> =>
  applyMigrations({
    adminUrl,
    schema: schemaName,
    folder: migrationsFolder,
    grants: [{ role: viewsLogin.role, url: serviceUrl }],
  })

/**
 * Returns when every migration of this version is applied.
 *
 * Errors: throws `store_unavailable` when Postgres does not answer; an `Error` that says what to run
 * when the database is not ready for this version.
 */
export async function checkMigrated(pool: pg.Pool): Promise<void> {
  const missing = await orNotReady(viewsLogin, () => pendingMigrations(pool, schemaName, migrationsFolder))
  if (missing.length > 0) throw notReady('reconciler', viewsLogin, `it lacks ${missing.join(', ')}`)
}

/**
 * Returns when what the ledger publishes is there and may be read; nothing of it is.
 *
 * Errors: as `checkMigrated`.
 */
export async function checkFeedReadable(pool: pg.Pool): Promise<void> {
  await orNotReady(feedLogin, () => pool.query(publishedViews.map((view) => `SELECT FROM ledger.${view} LIMIT 0`).join(';')))
}

async function orNotReady<Result>(login: DatabaseLogin, work: () => Promise<Result>): Promise<Result> {
  try {
    return await withStoreErrors(work)
  } catch (error) {
    if (!(error instanceof LedgerError)) throw notReady('reconciler', login, error)
    throw isWithheld(error.cause) ? notReady('reconciler', login, error.cause) : error
  }
}
