// `npm run migrate`: prepares the database of both services, or brings it up to date.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { nodeFlags, node24Path, workspaceRoot } from './launch/node24.cjs'

export type DatabaseUrls = {
  /** May create roles and tables. */
  readonly adminUrl: string
  /** What the ledger works as: a role that owns nothing. */
  readonly ledgerUrl: string
  /** What the reconciler works as. */
  readonly reconcilerUrl: string
}

/**
 * The database and the roles named in `urls` exist, and every migration of both services is applied.
 *
 * Idempotent. Throws with the output of the migration that failed; earlier ones stay applied.
 */
export async function migrate(urls: DatabaseUrls): Promise<void> {
  await createRoles(urls)
  for (const service of ['ledger', 'reconciler']) await runMigrations(service, urls)
}

/** Roles that a URL names and the server does not know get created with the password of the URL. */
async function createRoles({ adminUrl, ledgerUrl, reconcilerUrl }: DatabaseUrls): Promise<void> {
  const wanted = new Map([ledgerUrl, reconcilerUrl].map((url) => [userOf(url), passwordOf(url)]))
  wanted.delete(userOf(adminUrl))
  if (wanted.size === 0) return
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect().catch((error: unknown) => {
    throw new Error(`Postgres of DATABASE_ADMIN_URL, else DATABASE_URL, does not answer: ${reasonOf(error)}`)
  })
  try {
    for (const [name, password] of wanted) {
      const { rowCount } = await client.query('select from pg_roles where rolname = $1', [name])
      if (rowCount !== 0) continue
      await client.query(
        `create role ${client.escapeIdentifier(name)} login password ${client.escapeLiteral(password)}`,
      )
    }
  } finally {
    await client.end()
  }
}

async function runMigrations(service: string, urls: DatabaseUrls): Promise<void> {
  const script = join(workspaceRoot, 'services', service, 'src', 'migrate.ts')
  if (!existsSync(script)) return
  const child = spawn(node24Path, [...nodeFlags, script], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      DATABASE_ADMIN_URL: urls.adminUrl,
      DATABASE_URL: urls.ledgerUrl,
      RECONCILER_DATABASE_URL: urls.reconcilerUrl,
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  }
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code !== 0) throw new Error(`The migrations of services/${service} failed:\n${output}`)
}

/** A refused connection to a name with two addresses is two errors without a message of its own. */
function reasonOf(error: unknown): string {
  return error instanceof AggregateError ? error.errors.map(reasonOf).join('; ') : error instanceof Error ? error.message : String(error)
}

function userOf(url: string): string {
  return decodeURIComponent(new URL(url).username)
}

function passwordOf(url: string): string {
  return decodeURIComponent(new URL(url).password)
}

if (import.meta.main) {
  const { DATABASE_URL, DATABASE_ADMIN_URL, RECONCILER_DATABASE_URL } = process.env
  if (DATABASE_URL === undefined || DATABASE_URL === '') {
    console.error(
      'DATABASE_URL is not set. It names the database to prepare; `npm start` without it prepares its own.',
    )
    process.exit(1)
  }
  try {
    await migrate({
      adminUrl: DATABASE_ADMIN_URL ?? DATABASE_URL,
      ledgerUrl: DATABASE_URL,
      reconcilerUrl: RECONCILER_DATABASE_URL ?? DATABASE_URL,
    })
    console.log('The database is up to date.')
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(1)
  }
}
