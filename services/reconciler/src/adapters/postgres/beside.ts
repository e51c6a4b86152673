/** A second set of the reconciler's tables, beside the one in use, and how it takes its place (P7). */
import { applyMigrationFiles } from '@a2a-ledger/service-kit/migrations'
import pg from 'pg'
import { migrationsFolder, schemaName } from './migrations.ts'

export const besideSchemaName = 'reconciler_rebuild'
const formerSchemaName = 'reconciler_former'

/** Fresh tables are there; what an earlier rebuild left is gone. */
export async function createBeside(adminUrl: string): Promise<void> {
  await asAdmin(adminUrl, async (client) => {
    await client.query(`DROP SCHEMA IF EXISTS ${besideSchemaName} CASCADE`)
    await applyMigrationFiles(client, besideSchemaName, migrationsFolder)
  })
}

export async function dropBeside(adminUrl: string): Promise<void> {
  await asAdmin(adminUrl, (client) => client.query(`DROP SCHEMA IF EXISTS ${besideSchemaName} CASCADE`))
}

/**
 * The tables beside take the place of those in use, in one transaction. False when those are ahead
 * by now: nothing is changed, fold on and try again.
 *
 * What is in use of another ledger, of another epoch, or beyond the end of the ledger (`headOf`) is
 * ahead of nothing: the ledger was restored to an earlier state (L7).
 *
 * Whoever applies the feed is fenced by the new epochs and takes its slots again. Partitions of a
 * Kafka feed begin where the tables beside end.
 */
export async function swapBeside(adminUrl: string, headOf: () => Promise<number>): Promise<boolean> {
  return asAdmin(adminUrl, async (client) => {
    await client.query(`DROP SCHEMA IF EXISTS ${formerSchemaName} CASCADE`)
    await client.query('BEGIN')
    // The row locks hold up the next apply; one that is under way is waited for.
    await client.query(`SELECT FROM ${schemaName}.feed_offsets FOR UPDATE`)
    await client.query(`SELECT FROM ${schemaName}.feed_partitions ORDER BY feed_group, topic, partition FOR UPDATE`)
    const { rows } = await client.query<{ fencing_epoch: string; live_position: number; is_ahead: boolean | null; is_same_ledger: boolean }>(
      `SELECT greatest(single.fencing_epoch, partitions.fencing_epoch, 0) AS fencing_epoch,
              coalesce(partitions.complete_position, single.complete_position, 0)::float8 AS live_position,
              coalesce(partitions.complete_position, single.complete_position, 0) > rebuilt.complete_position AS is_ahead,
              (SELECT (ledger_id, epoch) FROM ${schemaName}.meta) IS NOT DISTINCT FROM (SELECT (ledger_id, epoch) FROM ${besideSchemaName}.meta) AS is_same_ledger
         FROM (SELECT max(fencing_epoch) AS fencing_epoch, min(next_position) - 1 AS complete_position FROM ${schemaName}.feed_offsets) AS single,
              (SELECT max(fencing_epoch) AS fencing_epoch, min(complete_position) AS complete_position FROM ${schemaName}.feed_partitions) AS partitions,
              (SELECT min(complete_position) AS complete_position FROM ${besideSchemaName}.feed_partitions) AS rebuilt`,
    )
    const [state] = rows
    const isBehind = state?.is_ahead === true && state.is_same_ledger && state.live_position <= (await headOf())
    if (state === undefined || state.is_ahead === null || isBehind) {
      await client.query('ROLLBACK')
      return false
    }
    await client.query(
      `UPDATE ${besideSchemaName}.feed_partitions SET fencing_epoch = greatest(fencing_epoch, $1::bigint) + 1, owner = NULL, lease_until = NULL`,
      [state.fencing_epoch],
    )
    // What is not made of the ledger moves over as it is.
    await client.query(`INSERT INTO ${besideSchemaName}.worker_secrets SELECT * FROM ${schemaName}.worker_secrets`)
    await client.query(`ALTER SCHEMA ${schemaName} RENAME TO ${formerSchemaName}`)
    await client.query(`ALTER SCHEMA ${besideSchemaName} RENAME TO ${schemaName}`)
    await client.query('COMMIT')
    await client.query(`DROP SCHEMA ${formerSchemaName} CASCADE`)
    return true
  })
}

async function asAdmin<Result>(adminUrl: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: adminUrl, application_name: 'a2a-ledger-rebuild' })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
