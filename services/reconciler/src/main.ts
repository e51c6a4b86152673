/** The reconciler's process: the only file that knows everyone. */
import { createHmac, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { foldVersion, type LedgerError } from '@a2a-ledger/domain'
import { nodeCodec } from '@a2a-ledger/service-kit/codec'
import { pino } from 'pino'
import { createHttpServer } from './adapters/http/server.ts'
import { createLedgerClient } from './adapters/ledger/ledger-client.ts'
import { createPostgresFactStore } from './adapters/postgres/fact-store.ts'
import { createPostgresFeedReader } from './adapters/postgres/feed-reader.ts'
import { createPool } from './adapters/postgres/pool.ts'
import { createApplied } from './app/applied.ts'
import { followFeed } from './app/follow-feed.ts'
import type { Timer } from './app/ports.ts'
import { keepSettling } from './app/settle-tasks.ts'
import { readConfig } from './config.ts'

const reading = readConfig(process.env)
if (reading.outcome === 'invalid') {
  process.stderr.write(`The reconciler cannot start:\n${reading.problems.map((problem) => `  ${problem}\n`).join('')}`)
  process.exit(1)
}
const { config } = reading

const logger = pino({ name: 'reconciler', level: config.logLevel })
const timer: Timer = {
  after: async (ms) => delay(ms, undefined, { ref: false }),
  elapsedMs: () => performance.now(),
}

const pool = createPool({ url: config.databaseUrl, name: 'a2a-ledger-reconciler', connectionsMax: 12, schema: 'reconciler' })
const feedPool = createPool({ url: config.feedDatabaseUrl, name: 'a2a-ledger-reconciler-feed', connectionsMax: 4 })
const store = createPostgresFactStore({ pool, foldVersion })
const feed = createPostgresFeedReader({ pool: feedPool, url: config.feedDatabaseUrl, decode: nodeCodec.utf8Decode })
const ledger = createLedgerClient({ url: config.ledgerUrl, internalToken: feed.internalToken })
const fold = { codec: nodeCodec, settings: { graceMs: config.graceMs, silentAfterMs: config.silentAfterMs } }
const applied = createApplied(store, timer)

const follower = followFeed(
  { feed, store, timer, log: logger, codec: nodeCodec, applied, onApplied: () => settler.wake() },
  { owner: randomUUID(), leaseTtlMs: config.leaseTtlMs, pollMs: 200, batchCountMax: 500 },
)
const settler = keepSettling({ feed, store, ledger, log: logger, fold }, timer, follower.isOwner)

const app = await createHttpServer(
  {
    feed,
    store,
    ledger,
    applied,
    timer,
    fold,
    log: logger,
    seal: async (content) => createHmac('sha256', await feed.internalToken()).update(content).digest('hex').slice(0, 32),
    feedStatus: follower.status,
  },
  logger,
)

let isStopping = false
const stop = async (reason: string, exitCode: number): Promise<void> => {
  if (isStopping) return
  isStopping = true
  logger.info({ reason }, 'stopping')
  const impatience = setTimeout(() => app.server.closeAllConnections(), config.drainTimeoutMs)
  await app.close()
  clearTimeout(impatience)
  await settler.stop()
  await follower.stop()
  await feed.close()
  await Promise.all([pool.end(), feedPool.end()])
  process.exit(exitCode)
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal, 0))

try {
  const address = await app.listen({ host: config.host, port: config.port })
  logger.info({ address }, 'listening')
} catch (error) {
  process.stderr.write(`The reconciler cannot listen: ${(error as LedgerError).message}\n`)
  await stop('it cannot listen', 1)
}
