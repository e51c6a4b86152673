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
 * Whoever applies the feed is fenced by the new epoch and takes the lease again. Partitions of a
 * Kafka feed begin where the tables beside end.
 */
export async function swapBeside(adminUrl: string): Promise<boolean> {
  return asAdmin(adminUrl, async (client) => {
    await client.query(`DROP SCHEMA IF EXISTS ${formerSchemaName} CASCADE`)
    await client.query('BEGIN')
    // The row locks hold up the next apply; one that is under way is waited for.
    await client.query(`SELECT FROM ${schemaName}.feed_offsets FOR UPDATE`)
    await client.query(`SELECT FROM ${schemaName}.feed_partitions ORDER BY feed_group, topic, partition FOR UPDATE`)
    const { rows } = await client.query<{ fencing_epoch: string; is_ahead: boolean }>(
      `SELECT greatest(live.fencing_epoch, partitions.fencing_epoch) AS fencing_epoch,
              coalesce(partitions.next_position, live.next_position) > rebuilt.next_position AS is_ahead
         FROM ${schemaName}.feed_offsets AS live
         JOIN ${besideSchemaName}.feed_offsets AS rebuilt USING (feed_group, feed_partition)
        CROSS JOIN (SELECT max(fencing_epoch) AS fencing_epoch, min(complete_position) + 1 AS next_position
                      FROM ${schemaName}.feed_partitions) AS partitions`,
    )
    if (rows[0]?.is_ahead === true) {
      await client.query('ROLLBACK')
      return false
    }
    await client.query(
      `UPDATE ${besideSchemaName}.feed_offsets SET fencing_epoch = greatest(fencing_epoch, $1::bigint) + 1, owner = NULL, lease_until = NULL`,
      [rows[0]?.fencing_epoch ?? 0],
    )
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
