/**
 * The ledger service: the only file that knows everyone.
 *
 * opening:  waits for Postgres, however long it is away. Leaves to listening, or ends with exit
 *           code 1 and one sentence when the environment, the database, a topic or the port is wrong.
 * listening: leaves to draining on SIGTERM or SIGINT.
 * draining: no new connections; running calls get `DRAIN_TIMEOUT_MS`, then what was accepted is
 *           recorded, and the connections to Postgres end. A second signal changes nothing.
 */
import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { LedgerError } from '@a2a-ledger/domain'
import { nodeCodec } from '@a2a-ledger/service-kit/codec'
import { connectKafka } from '@a2a-ledger/service-kit/kafka'
import { pino } from 'pino'
import { createHttpServer } from './adapters/http/server.ts'
import { openKafka, type OpenKafka } from './adapters/kafka/open-kafka.ts'
import { openLedger, type OpenLedger } from './adapters/postgres/open-ledger.ts'
import { openRelayStore } from './adapters/postgres/relay-store.ts'
import { type Config, type KafkaConfig, readConfig } from './config.ts'

const storeRetryMs = 500
const idleSweepMs = 50
/** What leaving the group, the relay and the brokers may take, each. */
const kafkaStopMs = 3_000

const config = configOrExit()
const logger = pino({ level: config.logLevel, base: { service: 'ledger' } })
const stopping = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    if (stopping.signal.aborted) return
    logger.info({ signal }, 'stopping')
    stopping.abort()
  })
}

const open = await openWhenThere()
let kafka: (OpenKafka & { readonly close: () => Promise<void> }) | undefined
const { app, countInput } = await createHttpServer({
  ledger: open.ledger,
  reader: open.reader,
  codec: nodeCodec,
  logger,
  ingestBytesInFlightMax: config.ingestBytesInFlightMax,
  kafkaHealth: () => kafka?.health(),
})
if (config.kafka !== undefined) {
  kafka = await startKafka(config.kafka)
  const { problems } = kafka.health()
  if (problems.length > 0) exitWith(['The ledger cannot start:', ...problems].join('\n  '))
}
try {
  await app.listen({ host: config.host, port: config.port })
} catch (error) {
  exitWith(`Cannot listen on HOST ${config.host}, LEDGER_PORT ${config.port}: ${messageOf(error)}`)
}
logger.info({ url: urlOf(app.server.address() as AddressInfo) }, 'listening')
if (!stopping.signal.aborted) {
  await new Promise((resolve) => stopping.signal.addEventListener('abort', resolve))
}

// A connection that a client keeps open is closed as soon as its last call is answered.
const sweep = setInterval(() => app.server.closeIdleConnections(), idleSweepMs)
const impatience = setTimeout(() => app.server.closeAllConnections(), config.drainTimeoutMs)
await app.close()
clearInterval(sweep)
clearTimeout(impatience)
await kafka?.close()
await open.close()
logger.info('stopped')
process.exit(0)

function configOrExit(): Config {
  const reading = readConfig(process.env)
  if (reading.outcome === 'ok') return reading.config
  return exitWith(['The ledger cannot start:', ...reading.problems].join('\n  '))
}

/** Opens the ledger; while Postgres does not answer it tries again, until it is told to stop. */
async function openWhenThere(): Promise<OpenLedger> {
  for (;;) {
    try {
      return await openLedger({
        databaseUrl: config.databaseUrl,
        codec: nodeCodec,
        report: (problem) => logger.warn({ err: problem }, 'background problem'),
      })
    } catch (error) {
      if (!(error instanceof LedgerError) || error.kind !== 'unavailable') exitWith(messageOf(error))
      logger.warn({ code: error.code, detail: error.detail }, 'waiting for Postgres')
    }
    await delay(storeRetryMs, undefined, { signal: stopping.signal }).catch(() => process.exit(0))
  }
}

async function startKafka({ connection, topicPrefix, partitionCount, isCreatingTopics }: KafkaConfig) {
  const client = connectKafka(connection, logger)
  const relayStore = openRelayStore(config.databaseUrl, (problem) => logger.warn({ err: problem }, 'background problem'))
  const opened = await openKafka({
    kafka: client,
    ledger: open.ledger,
    reader: open.reader,
    relayStore,
    codec: nodeCodec,
    log: logger,
    settings: { prefix: topicPrefix, partitionCount, isCreating: isCreatingTopics },
    owner: randomUUID(),
    counted: (outcome) => countInput('kafka', outcome),
  })
  return {
    ...opened,
    close: async () => {
      await opened.stop(kafkaStopMs)
      await client.close(kafkaStopMs)
      await relayStore.close()
    },
  }
}

function exitWith(sentence: string): never {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
