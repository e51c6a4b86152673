/**
 * The ledger service: the only file that knows everyone.
 *
 * opening:  waits for Postgres, however long it is away. Leaves to listening, or ends with exit
 *           code 1 and one sentence when the environment, the database, a topic or the port is wrong;
 *           to draining on a signal, and begins nothing more.
 * listening: leaves to draining on SIGTERM or SIGINT.
 * draining: no new connections; running calls get `DRAIN_TIMEOUT_MS`, then what was accepted is
 *           recorded, and the connections to Postgres end. A second signal changes nothing.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { LedgerError } from '@a2a-ledger/domain'
import { nodeCodec } from '@a2a-ledger/service-kit/codec'
import { drain, listen, untilAborted } from '@a2a-ledger/service-kit/http'
import { connectKafka } from '@a2a-ledger/service-kit/kafka'
import { logSerializers } from '@a2a-ledger/service-kit/log-errors'
import { createOutage } from '@a2a-ledger/service-kit/outage'
import { exitWith, messageOf, stoppingOnSignal } from '@a2a-ledger/service-kit/process'
import { pino } from 'pino'
import { createHttpServer } from './adapters/http/server.ts'
import { openKafka, type OpenKafka } from './adapters/kafka/open-kafka.ts'
import { openLedger, type OpenLedger } from './adapters/postgres/open-ledger.ts'
import { openRelayStore } from './adapters/postgres/relay-store.ts'
import { type Config, type KafkaConfig, readConfig } from './config.ts'

const storeRetryMs = 500
/** What leaving the group, the relay and the brokers may take, each. */
const kafkaStopMs = 3_000

const config = configOrExit()
const logger = pino({ level: config.logLevel, base: { service: 'ledger' }, serializers: logSerializers })
const stopping = stoppingOnSignal(logger)

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
if (config.kafka !== undefined && !stopping.aborted) {
  kafka = await startKafka(config.kafka)
  const { problems } = kafka.health()
  if (problems.length > 0) exitWith(['The ledger cannot start:', ...problems].join('\n  '))
}
if (!stopping.aborted) {
  const url = await listen(app, { host: config.host, port: config.port, portVariable: 'LEDGER_PORT' }).catch((error: unknown) => exitWith(messageOf(error)))
  logger.info({ url }, 'listening')
  await untilAborted(stopping)
}

await drain(app, config.drainTimeoutMs)
await kafka?.close()
await open.close()
logger.info('stopped')
process.exit(0)

function configOrExit(): Config {
  const reading = readConfig(process.env)
  if (reading.outcome === 'ok') return reading.config
  return exitWith(['The ledger cannot start:', ...reading.problems].join('\n  '))
}

function reportProblem(problem: unknown): void {
  logger.warn({ err: problem }, 'background problem')
}

/** Opens the ledger; while Postgres does not answer it tries again, until it is told to stop. */
async function openWhenThere(): Promise<OpenLedger> {
  const outage = createOutage()
  for (;;) {
    try {
      const opened = await openLedger({ databaseUrl: config.databaseUrl, codec: nodeCodec, report: reportProblem })
      outage.over(() => logger.info('Postgres answers'))
      return opened
    } catch (error) {
      if (!(error instanceof LedgerError) || error.kind !== 'unavailable') exitWith(messageOf(error))
      const { code, detail } = error
      if (!stopping.aborted) outage.met(() => logger.warn({ code, detail }, 'waiting for Postgres'))
    }
    await delay(storeRetryMs, undefined, { signal: stopping }).catch(() => process.exit(0))
  }
}

async function startKafka({ connection, topicPrefix, partitionCount, isCreatingTopics }: KafkaConfig) {
  const client = connectKafka(connection, logger)
  const relayStore = openRelayStore(config.databaseUrl, reportProblem)
  const opened = await openKafka({
    kafka: client,
    ledger: open.ledger,
    reader: open.reader,
    relayStore,
    codec: nodeCodec,
    log: logger,
    settings: { prefix: topicPrefix, partitionCount, isCreating: isCreatingTopics },
    owner: randomUUID(),
    stopping,
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
