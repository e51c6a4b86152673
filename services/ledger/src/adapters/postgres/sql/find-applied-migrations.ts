import type { ClientBase, Pool } from 'pg'

/** Versions of the migrations that this database has; none where the ledger was never set up. */
export async function findAppliedMigrations(client: ClientBase | Pool): Promise<ReadonlySet<number>> {
  const { rows: tables } = await client.query(
    `SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = pg_class.relnamespace
    WHERE nspname = 'ledger' AND relname = 'migration'`,
  )
  if (tables.length === 0) return new Set()
  const { rows } = await client.query<{ version: number }>('SELECT version FROM ledger.migration')
  return new Set(rows.map(({ version }) => version))
}
