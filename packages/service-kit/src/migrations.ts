/**
 * Brings one service's schema of a database up to date: plain SQL files in order, forward only.
 *
 * An advisory lock lets several instances start at once. What ran is recorded with its checksum:
 * an edited migration stops everything, because nobody can say what that database contains.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'

/** Any constant that no other user of this server takes. */
const advisoryLock = 7_021_900_145

export interface MigrationPlan {
  /** May create roles, schemas and tables. */
  readonly adminUrl: string
  readonly schema: string
  /** Holds the files `0001_name.sql`, `0002_…`; they run with `schema` first in the search path. */
  readonly folder: string
  /** Afterwards the user of each URL may work as that role, which the files create. */
  readonly grants: readonly { readonly role: string; readonly url: string }[]
}

/**
 * Every migration is applied, each in a transaction of its own, and the grants hold.
 *
 * Idempotent. Throws what PostgreSQL said, with the name of the file; earlier files stay applied.
 */
export async function applyMigrations({ adminUrl, schema, folder, grants }: MigrationPlan): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl, application_name: 'a2a-ledger-migrate' })
  await client.connect()
  try {
    await client.query('SELECT pg_advisory_lock($1)', [advisoryLock])
    await applyMigrationFiles(client, schema, folder)
    for (const { role, url } of grants) await grantRole(client, role, userOf(url))
  } finally {
    await client.end()
  }
}

/** The files of `folder` that are new to `schema` are applied on a connection of one's own. */
export async function applyMigrationFiles(client: pg.ClientBase, schema: string, folder: string): Promise<void> {
  const inSchema = pg.escapeIdentifier(schema)
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${inSchema}`)
  await client.query(`CREATE TABLE IF NOT EXISTS ${inSchema}.migration (
    version integer PRIMARY KEY,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
  )`)
  const { rows } = await client.query<{ version: number; checksum: string }>(
    `SELECT version, checksum FROM ${inSchema}.migration`,
  )
  const applied = new Map(rows.map(({ version, checksum }) => [version, checksum]))
  for (const migration of readMigrations(folder)) {
    const before = applied.get(migration.version)
    if (before === undefined) await applyFile(client, inSchema, migration)
    else if (before !== migration.checksum) {
      throw new Error(`${migration.name} is not the file that was applied: migrations are never edited`)
    }
  }
}

/**
 * Files of `folder` that are not applied to `schema`; newer ones in the database are fine, because
 * an older version goes on working while the next one is rolled out.
 */
export async function pendingMigrations(client: pg.ClientBase | pg.Pool, schema: string, folder: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ version: number }>(`SELECT version FROM ${pg.escapeIdentifier(schema)}.migration`)
  const applied = new Set(rows.map(({ version }) => version))
  return readMigrations(folder).flatMap(({ version, name }) => (applied.has(version) ? [] : [name]))
}

interface Migration {
  readonly version: number
  readonly name: string
  readonly sql: string
  readonly checksum: string
}

function readMigrations(folder: string): readonly Migration[] {
  const names = readdirSync(folder).filter((name) => /^\d{4}_\w+\.sql$/.test(name))
  return names.toSorted().map((name) => {
    const sql = readFileSync(join(folder, name), 'utf8')
    const checksum = createHash('sha256').update(sql).digest('hex')
    return { version: Number(name.slice(0, 4)), name, sql, checksum }
  })
}

async function applyFile(client: pg.ClientBase, inSchema: string, migration: Migration): Promise<void> {
  await client.query('BEGIN')
  try {
    await client.query(`SET LOCAL search_path TO ${inSchema}`)
    await client.query(migration.sql)
    await client.query(`INSERT INTO ${inSchema}.migration (version, name, checksum) VALUES ($1, $2, $3)`, [
      migration.version,
      migration.name,
      migration.checksum,
    ])
    await client.query('COMMIT')
  } catch (cause) {
    await client.query('ROLLBACK')
    throw new Error(`${migration.name}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

async function grantRole(client: pg.ClientBase, role: string, user: string | undefined): Promise<void> {
  const { rows } = await client.query<{ name: string; is_member: boolean }>(
    "SELECT name, pg_has_role(name, $2, 'MEMBER') AS is_member FROM (SELECT coalesce($1, current_user) AS name) AS named",
    [user, role],
  )
  const named = rows[0]
  if (named === undefined || named.is_member) return
  await client.query(`GRANT ${pg.escapeIdentifier(role)} TO ${pg.escapeIdentifier(named.name)}`)
}

/** The user a URL logs in as; `undefined` when the URL leaves that to the environment. */
function userOf(url: string): string | undefined {
  const { username } = new URL(url)
  return username === '' ? undefined : decodeURIComponent(username)
}

/**
 * What a migration script does with its work: one sentence on standard error and exit code 1 when
 * Postgres does not answer or refuses; a fault of ours keeps its stack.
 */
export async function runMigrationScript(migrate: () => Promise<unknown>): Promise<void> {
  try {
    await migrate()
  } catch (error) {
    process.stderr.write(`${reasonOf(error)}\n`)
    process.exitCode = 1
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ')
  if (!(error instanceof Error)) return String(error)
  const isFromOutside = 'code' in error || error.constructor === Error
  return isFromOutside ? error.message : (error.stack ?? error.message)
}
