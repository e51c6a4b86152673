import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { platformName, startEmbeddedPostgres } from '@a2a-ledger/infra/embedded-postgres'
import pg from 'pg'

export type ProvidedPostgres = {
  readonly provider: string
  /** A superuser, or a role that may create databases and roles. */
  readonly adminUrl: string
  readonly version: string
  stop(): Promise<void>
}

/** As many test files as run at once, each with the pools of both services. */
const connectionsMax = '300'

/** One end of the versions that are supported, and where each provider has it. */
interface End {
  readonly urlVariable: string
  readonly imageVariable: string
  readonly image: string
  readonly majorMin: number
  readonly majorMax: number
  /** Whose platform packages hold it. */
  readonly scope: string
}

export const newestPostgres: End = {
  urlVariable: 'TEST_DATABASE_URL',
  imageVariable: 'TEST_POSTGRES_IMAGE',
  image: 'postgres:18.4-alpine',
  majorMin: 15,
  majorMax: 18,
  scope: '@embedded-postgres',
}
export const oldestPostgres: End = {
  urlVariable: 'TEST_OLDEST_DATABASE_URL',
  imageVariable: 'TEST_OLDEST_POSTGRES_IMAGE',
  image: 'postgres:15.18-alpine',
  majorMin: 15,
  majorMax: 15,
  scope: '@embedded-postgres-15',
}

/**
 * A PostgreSQL for the tests, from the first provider that applies. One that applies and fails is
 * an error, never a reason to try the next.
 */
export async function providePostgres(end: End, hasEngine = hasContainerEngine()): Promise<ProvidedPostgres> {
  const provided = await firstProvided(end, hasEngine)
  const major = Number.parseInt(provided.version, 10)
  if (major >= end.majorMin && major <= end.majorMax) return provided
  await provided.stop()
  throw new Error(`PostgreSQL ${provided.version} from ${provided.provider} is not ${rangeOf(end)}.`)
}

const rangeOf = ({ majorMin, majorMax }: End): string => (majorMin === majorMax ? `PostgreSQL ${majorMin}` : `PostgreSQL ${majorMin} to ${majorMax}`)

async function firstProvided(end: End, hasEngine: boolean): Promise<ProvidedPostgres> {
  const url = process.env[end.urlVariable]
  if (url !== undefined && url !== '') return given(end, url)
  if (hasEngine) return inContainer(end)
  try {
    return await embedded(end)
  } catch (cause) {
    throw new Error(
      [
        `No ${rangeOf(end)} for the tests. Three ways to provide one:`,
        `  1. ${end.urlVariable}=postgresql://superuser:password@host:port/postgres`,
        '  2. a container engine: DOCKER_HOST, or a socket at /var/run/docker.sock',
        '  3. the embedded one, which was tried and failed:',
        `     ${cause instanceof Error ? cause.message : String(cause)}`,
      ].join('\n'),
      { cause },
    )
  }
}

async function given({ urlVariable }: End, adminUrl: string): Promise<ProvidedPostgres> {
  const version = await serverVersion(adminUrl)
  return { provider: urlVariable, adminUrl, version, stop: async () => undefined }
}

function hasContainerEngine(): boolean {
  const host = process.env['DOCKER_HOST']
  return (host !== undefined && host !== '') || existsSync('/var/run/docker.sock')
}

async function inContainer({ imageVariable, image: usual }: End): Promise<ProvidedPostgres> {
  const [{ PostgreSqlContainer }, { Wait }] = await Promise.all([import('@testcontainers/postgresql'), import('testcontainers')])
  const image = process.env[imageVariable] ?? usual
  const container = await new PostgreSqlContainer(image)
    .withDatabase('postgres')
    .withUsername('postgres')
    .withCommand(['postgres', '-c', `max_connections=${connectionsMax}`, '-c', 'fsync=off'])
    // Not the health check, which an engine without systemd never runs. Images say this line once for a
    // server that only prepares the data, and has no TCP port: who connects meets the one behind it.
    .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/))
    .start()
  const adminUrl = container.getConnectionUri()
  const stop = async (): Promise<void> => void (await container.stop())
  try {
    return { provider: 'Testcontainers', adminUrl, version: await untilAnswering(adminUrl), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const answerWithinMs = 60_000

/** Its version, as soon as it tells. */
async function untilAnswering(adminUrl: string): Promise<string> {
  const deadlineMs = Date.now() + answerWithinMs
  for (;;) {
    try {
      return await serverVersion(adminUrl)
    } catch (error) {
      if (Date.now() > deadlineMs) throw error
      await delay(100)
    }
  }
}

async function embedded({ scope }: End): Promise<ProvidedPostgres> {
  const isOwn = scope === newestPostgres.scope
  const packageEntry = isOwn ? undefined : createRequire(import.meta.url).resolve(`${scope}/${platformName}`)
  const dataDir = mkdtempSync(join(tmpdir(), 'a2a-ledger-test-'))
  chmodSync(dataDir, 0o711) // as root, PostgreSQL runs as somebody else
  const server = await startEmbeddedPostgres({
    dataDir,
    isDurable: false,
    settings: { max_connections: connectionsMax },
    ...(packageEntry !== undefined && { packageEntry }),
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
