/** What a service that starts on a database that is not ready says. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { LedgerError } from '@a2a-ledger/domain'
import { isAccessRefused, notReady } from '@a2a-ledger/service-kit/database-access'
import type { Pool } from 'pg'
import { findAppliedMigrations } from './sql/find-applied-migrations.ts'
import { failureKindOf } from './sqlstate.ts'

/** Where the migrations of this version of the code are. */
export const migrationsFolder = join(import.meta.dirname, '../../../migrations')

/**
 * Returns when every migration of this version is applied.
 *
 * Newer ones are fine: an older version goes on working while the next one is rolled out.
 */
export async function checkMigrated(pool: Pool): Promise<void> {
  const applied = await appliedOrExplain(pool)
  const missing = readdirSync(migrationsFolder).filter((name) => {
    const version = /^(\d{4})_\w+\.sql$/.exec(name)?.[1]
    return version !== undefined && !applied.has(Number(version))
  })
  if (missing.length > 0) throw notReadyFor(`it lacks ${missing.toSorted().join(', ')}`)
}

/** Who is kept out, or lacks the role of the service, is told at once: waiting would not help. */
async function appliedOrExplain(pool: Pool): Promise<ReadonlySet<number>> {
  try {
    return await findAppliedMigrations(pool)
  } catch (error) {
    if (isAccessRefused(error) || failureKindOf(error) !== 'unavailable') throw notReadyFor(error)
    const message = error instanceof Error ? error.message : String(error)
    throw new LedgerError('store_unavailable', `Postgres: ${message}`, { cause: error })
  }
}

const notReadyFor = (cause: unknown): Error => notReady('ledger', { urlVariable: 'DATABASE_URL', role: 'a2a_ledger_service' }, cause)
