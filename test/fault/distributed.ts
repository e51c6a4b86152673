import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startEmbeddedPostgres, type EmbeddedPostgres } from '@a2a-ledger/infra/embedded-postgres'
import { migrate } from '@a2a-ledger/infra/migrate'
import pg from 'pg'
import { freePort } from '../support/free-port.ts'
import { startKafkaBroker } from '../support/kafka-provider.ts'
import type { KafkaBroker } from '../support/kafka/broker.ts'
import { createService, type MortalService } from '../support/mortal-service.ts'

/** Two ledgers, two reconcilers, one PostgreSQL, one Kafka; each of them can be killed by itself. */
export interface Distributed {
  /** Of PostgreSQL, and of whatever is kept. */
  readonly dataDir: string
  readonly ledgers: readonly MortalService[]
  readonly reconcilers: readonly MortalService[]
  readonly broker: KafkaBroker
  readonly topicPrefix: string
  readonly adminUrl: () => Promise<string>
  /** SIGKILL of the postmaster, then a start on the same data and port. */
  readonly killPostgres: () => Promise<void>
  /** Ends every process; the data folder stays. */
  readonly stop: () => Promise<void>
  /** The same, and the data folder is gone. */
  readonly remove: () => Promise<void>
}

const topicPrefix = 'fault.'
const databaseName = 'a2a_ledger'

export async function startDistributed(partitions: number): Promise<Distributed> {
  const dataDir = await mkdtemp(join(tmpdir(), 'a2a-ledger-distributed-'))
  await chmod(dataDir, 0o711) // the server runs as another user where we are root
  const undo: (() => Promise<unknown>)[] = []
  const stop = async (): Promise<void> => {
    for (const step of undo.toReversed()) await step().catch(() => undefined)
  }
  const remove = async (): Promise<void> => {
    await stop()
    await rm(dataDir, { recursive: true, force: true, maxRetries: 10 })
  }
  try {
    let postgres = await startEmbeddedPostgres({ dataDir, port: await freePort() })
    const { port } = postgres
    undo.push(() => postgres.stop())
    const urls = await prepareDatabase(postgres)
    const broker = await startKafkaBroker()
    undo.push(broker.remove)
    const shared = {
      DATABASE_URL: urls.ledgerUrl,
      KAFKA_BROKERS: broker.brokers.join(','),
      KAFKA_TOPIC_PREFIX: topicPrefix,
      KAFKA_PARTITIONS: String(partitions),
    }
    const ledgers = await Promise.all([createService('ledger', shared), createService('ledger', shared)])
    const views = { ...shared, RECONCILER_DATABASE_URL: urls.reconcilerUrl, GRACE_MS: '1000', LEASE_TTL_MS: '6000' }
    const reconcilers = await Promise.all(ledgers.map(({ url }) => createService('reconciler', { ...views, LEDGER_URL: url })))
    undo.push(...[...ledgers, ...reconcilers].map(({ stop }) => stop))
    await Promise.all(ledgers.map(({ start }) => start()))
    await Promise.all(reconcilers.map(({ start }) => start()))
    return {
      dataDir,
      ledgers,
      reconcilers,
      broker,
      topicPrefix,
      adminUrl: async () => urls.adminUrl,
      killPostgres: async () => {
        const pid = Number((await readFile(join(dataDir, 'postgres', 'cluster', 'postmaster.pid'), 'utf8')).split('\n', 1)[0])
        process.kill(pid, 'SIGKILL')
        await postgres.exited
        await delay(1_000)
        postgres = await startEmbeddedPostgres({ dataDir, port })
      },
      stop,
      remove,
    }
  } catch (error) {
    await remove()
    throw error
  }
}

/** The database on a server that has none yet, migrated. */
export async function prepareDatabase({ adminUrl }: EmbeddedPostgres) {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  await client.query(`create database ${databaseName}`)
  await client.end()
  const urlOf = (change: Partial<URL>): string => Object.assign(new URL(adminUrl), { pathname: `/${databaseName}` }, change).href
  const urls = {
    adminUrl: urlOf({}),
    ledgerUrl: urlOf({ username: 'ledger', password: 'fault' }),
    reconcilerUrl: urlOf({ username: 'reconciler', password: 'fault' }),
  }
  await migrate(urls)
  return urls
}
