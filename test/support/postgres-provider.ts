import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '@a2a-ledger/infra/embedded-postgres'
import pg from 'pg'

export type ProvidedPostgres = {
  readonly provider: 'TEST_DATABASE_URL' | 'Testcontainers' | 'embedded-postgres'
  /** A superuser, or a role that may create databases and roles. */
  readonly adminUrl: string
  readonly version: string
  stop(): Promise<void>
}

/** As many test files as run at once, each with the pools of both services. */
const connectionsMax = '300'

/**
 * A PostgreSQL for the tests, from the first provider that applies. One that applies and fails is
 * an error, never a reason to try the next.
 */
export async function providePostgres(): Promise<ProvidedPostgres> {
  const url = process.env['TEST_DATABASE_URL']
  if (url !== undefined && url !== '') return given(url)
  if (hasContainerEngine()) return inContainer()
  try {
    return await embedded()
  } catch (cause) {
    throw new Error(
      [
        'No PostgreSQL for the tests. Three ways to provide one:',
        '  1. TEST_DATABASE_URL=postgresql://superuser:password@host:port/postgres (PostgreSQL 15 to 18)',
        '  2. a container engine: DOCKER_HOST, or a socket at /var/run/docker.sock',
        '  3. the embedded one, which was tried and failed:',
        `     ${cause instanceof Error ? cause.message : String(cause)}`,
      ].join('\n'),
      { cause },
    )
  }
}

async function given(adminUrl: string): Promise<ProvidedPostgres> {
  const version = await serverVersion(adminUrl)
  return { provider: 'TEST_DATABASE_URL', adminUrl, version, stop: async () => undefined }
}

function hasContainerEngine(): boolean {
  const host = process.env['DOCKER_HOST']
  return (host !== undefined && host !== '') || existsSync('/var/run/docker.sock')
}

async function inContainer(): Promise<ProvidedPostgres> {
  const { PostgreSqlContainer } = await import('@testcontainers/postgresql')
  const image = process.env['TEST_POSTGRES_IMAGE'] ?? 'postgres:18.4-alpine'
  const container = await new PostgreSqlContainer(image)
    .withDatabase('postgres')
    .withUsername('postgres')
    .withCommand(['postgres', '-c', `max_connections=${connectionsMax}`, '-c', 'fsync=off'])
    .start()
  const adminUrl = container.getConnectionUri()
  return {
    provider: 'Testcontainers',
    adminUrl,
    version: await serverVersion(adminUrl),
    stop: async () => void (await container.stop()),
  }
}

async function embedded(): Promise<ProvidedPostgres> {
  const dataDir = mkdtempSync(join(tmpdir(), 'a2a-ledger-test-'))
  chmodSync(dataDir, 0o711) // as root, PostgreSQL runs as somebody else
  const server = await startEmbeddedPostgres({
    dataDir,
    isDurable: false,
    settings: { max_connections: connectionsMax },
  })
  return {
    provider: 'embedded-postgres',
    adminUrl: server.adminUrl,
    version: server.version,
    stop: async () => {
      await server.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function serverVersion(adminUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    const { rows } = await client.query<{ server_version: string }>('show server_version')
    return rows[0]?.server_version ?? 'unknown'
  } finally {
    await client.end()
  }
}
