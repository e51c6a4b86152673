/**
 * The reconciler service: the only file that knows everyone.
 *
 * opening:   waits for Postgres, however long it is away. Leaves to listening, or ends with exit
 *            code 1 and one sentence when the environment, the database or the port is wrong.
 * listening: applies the feed, settles, answers. Leaves to draining on SIGTERM or SIGINT.
 * draining:  no new connections; running calls get `DRAIN_TIMEOUT_MS`, then the loops end, our share
 *            of the feed is given back and the connections to Postgres end. A second signal changes nothing.
 */
import { createHmac, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { foldVersion, LedgerError } from '@a2a-ledger/domain'
import { createOutbound } from '@a2a-ledger/outbound'
import { nodeCodec } from '@a2a-ledger/service-kit/codec'
import { drain, listen, untilAborted } from '@a2a-ledger/service-kit/http'
import { connectKafka } from '@a2a-ledger/service-kit/kafka'
import { logSerializers } from '@a2a-ledger/service-kit/log-errors'
import { createOutage } from '@a2a-ledger/service-kit/outage'
import { exitWith, messageOf, processTimer as timer, stoppingOnSignal } from '@a2a-ledger/service-kit/process'
import { scopeWith } from '@a2a-ledger/witness/recording'
import { ExponentialBackoff } from 'cockatiel'
import { pino } from 'pino'
import { createMessageSender } from './adapters/a2a/message-sender.ts'
import type { FeedHealth } from './adapters/http/edge.ts'
import { createHttpServer } from './adapters/http/server.ts'
import { followKafkaFeed, type KafkaFeedFollower } from './adapters/kafka/follow-kafka-feed.ts'
import { createLedgerClient } from './adapters/ledger/ledger-client.ts'
import { createPostgresFactStore } from './adapters/postgres/fact-store.ts'
import { createPostgresFeedReader } from './adapters/postgres/feed-reader.ts'
import { checkFeedReadable, checkMigrated, schemaName } from './adapters/postgres/migrations.ts'
import { createPostgresTopicPartitions, partitionCountOf } from './adapters/postgres/partition-store.ts'
import { createPool } from './adapters/postgres/pool.ts'
import { createPushRepeats } from './adapters/postgres/push-repeats.ts'
import { createPostgresSlotStore } from './adapters/postgres/slot-store.ts'
import { createProber, type ProbePushes } from './adapters/probe/create-prober.ts'
import { createWorkerLines } from './adapters/worker/open-line.ts'
import { createApplied } from './app/applied.ts'
import { followTail, levelSlots, type TailFollower } from './app/follow-tail.ts'
import { keepActing } from './app/keep-acting.ts'
import { keepObserving } from './app/keep-observing.ts'
import { keepProbing } from './app/keep-probing.ts'
import type { Seal, WorkShare } from './app/ports.ts'
import { keepSettling } from './app/settle-tasks.ts'
import { type Config, type KafkaConfig, readConfig } from './config.ts'

const storeRetryMs = 500
/** Also without a wake-up the feed is read this often. */
const feedPollMs = 200
const feedBatchMax = 500
/** Kafka takes no shorter one, as it comes. */
const kafkaSessionMsMin = 6_000
/** An intent of ours outlives its call by this, so that it is recorded and settled before it lapses. */
const intentMarginMs = 30_000
/** What leaving the group and the brokers may take, each. */
const kafkaStopMs = 3_000

const config = configOrExit()
const logger = pino({ level: config.logLevel, base: { service: 'reconciler' }, serializers: logSerializers })
const stopping = stoppingOnSignal(logger)

const fold = { codec: nodeCodec, settings: { graceMs: config.graceMs, silentAfterMs: config.silentAfterMs } }

const ofViews = { url: config.databaseUrl, schema: schemaName, idleInTransactionMsMax: config.leaseTtlMs }
const pool = createPool({ ...ofViews, name: 'a2a-ledger-reconciler', connectionsMax: 12 })
const session = createPool({ ...ofViews, name: 'a2a-ledger-reconciler-member', connectionsMax: 1, isKeptOpen: true })
const feedPool = createPool({ url: config.feedDatabaseUrl, name: 'a2a-ledger-reconciler-feed', connectionsMax: 4 })
await untilDatabasesAreReady()
if (stopping.aborted) process.exit(0)

const store = createPostgresFactStore(pool)
const slots = createPostgresSlotStore({ pool, session, foldVersion, leaseTtlMs: config.leaseTtlMs })
const feed = createPostgresFeedReader({ pool: feedPool, url: config.feedDatabaseUrl, decode: nodeCodec.utf8Decode })
const ledger = createLedgerClient({ url: config.ledgerUrl, internalToken: feed.internalToken })
const applied = createApplied(store, timer)
/** Names this process among those that share the feed. */
const member = randomUUID()
const follower = config.kafka === undefined ? followSlots() : followTopic(config.kafka)
const outbound = createOutbound({ allowCidrs: config.outboundAllowCidrs })
const seal: Seal = async (content) => createHmac('sha256', await feed.internalToken()).update(content).digest('hex').slice(0, 32)
const sender = createMessageSender({ outbound, timeoutMs: config.redispatchTimeoutMs, nowMs: Date.now })
const actor = keepActing({
  feed,
  store,
  ledger,
  applied,
  fold,
  seal,
  witness: ledger,
  log: logger,
  sender,
  intentTtlMs: config.redispatchTimeoutMs + intentMarginMs,
})
const settler = keepSettling({ feed, actor, sender, store, ledger, log: logger, fold, share: follower.share }, applied, timer, follower.isAbreast)
const prober = createProber({
  ledger,
  feed,
  codec: nodeCodec,
  allowCidrs: config.outboundAllowCidrs,
  owner: member,
  ...(config.pushReceiverUrl !== undefined && { push: probePushes(config.pushReceiverUrl) }),
})
const idOf = (...parts: readonly string[]): string => nodeCodec.sha256Hex(JSON.stringify(parts)).slice(0, 32)
const probing = keepProbing({ feed, store, ledger, applied, prober, log: logger, timer, idOf }, follower.isAbreast)
const lines = createWorkerLines({
  codec: nodeCodec, allowCidrs: config.outboundAllowCidrs, instanceHeaders: config.instanceHeaders, scopeOf: scopeWith(config.scopeKey, nodeCodec), member, nowMs: Date.now,
})
const observer = keepObserving(
  {
    feed, store, witness: ledger, lines, fold, timer, log: logger, share: follower.share,
    nowMs: Date.now,
    random: Math.random,
    backOff: pauses,
    callsPerMinuteMax: config.observerCallsPerMinute,
  },
  follower.isAbreast,
)
const app = await createHttpServer(
  {
    feed,
    store,
    pushRepeats: createPushRepeats(feedPool),
    ledger,
    applied,
    timer,
    fold,
    log: logger,
    seal,
    sender,
    feedHealth: follower.health,
    observerStatus: observer.status,
    prober,
    wakeProbing: probing.wake,
  },
  logger,
)
const url = await listen(app, { host: config.host, port: config.port, portVariable: 'RECONCILER_PORT' }).catch((error: unknown) => exitWith(messageOf(error)))
logger.info({ url }, 'listening')
await untilAborted(stopping)

await drain(app, config.drainTimeoutMs)
await Promise.all([probing.stop(), observer.stop()])
await settler.stop()
const acted = actor.stop()
await Promise.race([acted, timer.after(config.drainTimeoutMs)])
await outbound.close() // what a worker has not answered by now is cut, and told as that
await acted
await follower.stop()
await feed.close()
await Promise.all([pool.end(), session.end(), feedPool.end()])
logger.info('stopped')
process.exit(0)

/** Half a second at first, and five minutes at most, with a jitter in which no two of them stay in step. */
function pauses(): () => number {
  const first = new ExponentialBackoff({ initialDelay: 1_000, maxDelay: 300_000 })
  let next: ReturnType<typeof first.next> | undefined
  return () => {
    next = (next ?? first).next(undefined)
    return Math.max(500, next.duration)
  }
}

function probePushes(receiverUrl: string): ProbePushes {
  return {
    receiverUrl,
    tokenOf: (probeId) => seal(JSON.stringify(['probe push', probeId])),
    hasCome: async (correlationId, taskId) => {
      const lookup = (await store.tasks([correlationId])).content.get(correlationId)
      return lookup?.outcome === 'found' && lookup.record.facts.some((fact) => fact.operation === 'Push' && fact.taskId === taskId)
    },
  }
}

/** What applies the feed, whichever it is. */
interface Follower {
  readonly health: () => FeedHealth
  /** While this process applies, and is not far behind. */
  readonly isAbreast: () => boolean
  /** Which partitions it applies, and so which tasks it looks at. */
  readonly share: () => WorkShare
  readonly stop: () => Promise<void>
}

function followSlots(): Follower {
  const { status, share, isAbreast, stop } = followTail(
    { feed, store: slots, timer, log: logger, outage: createOutage(), codec: nodeCodec, applied, onApplied: () => settler.wake() },
    { member, pollMs: feedPollMs, batchCountMax: feedBatchMax },
  )
  return { health: () => healthOf(status(), share()), isAbreast, share, stop }
}

function followTopic({ connection, topicPrefix }: KafkaConfig): Follower {
  const topic = `${topicPrefix}ledger`
  const groupId = `${topicPrefix}reconciler`
  const kafka = connectKafka(connection, logger)
  const own = { feed, codec: nodeCodec, log: logger, onApplied: () => settler.wake() }
  const { status, share, stop } = followKafkaFeed(
    {
      ...own,
      kafka,
      store: createPostgresTopicPartitions({ pool, group: groupId, topic, foldVersion }),
      levelTail: () => levelSlots({ ...own, store: slots }, { member, batchCountMax: feedBatchMax }),
      partitionCount: () => partitionCountOf(feedPool, topic),
    },
    { topic, groupId, sessionTimeoutMs: Math.max(kafkaSessionMsMin, config.leaseTtlMs) },
  )
  return {
    health: () => healthOf(status(), share()),
    isAbreast: () => share().partitions.length > 0,
    share,
    stop: async () => {
      await stop(kafkaStopMs)
      await kafka.close(kafkaStopMs)
    },
  }
}

function healthOf(status: ReturnType<TailFollower['status']> | ReturnType<KafkaFeedFollower['status']>, { partitions }: WorkShare): FeedHealth {
  return status.status === 'rewound' ? status : { status: status.status, partitions }
}

function configOrExit(): Config {
  const reading = readConfig(process.env)
  if (reading.outcome === 'ok') return reading.config
  return exitWith(['The reconciler cannot start:', ...reading.problems].join('\n  '))
}

/** While Postgres does not answer it is asked again, until this process is told to stop. */
async function untilDatabasesAreReady(): Promise<void> {
  const outage = createOutage()
  for (;;) {
    try {
      await checkMigrated(pool)
      await checkFeedReadable(feedPool)
      outage.over(() => logger.info('Postgres answers'))
      return
    } catch (error) {
      if (!(error instanceof LedgerError) || error.kind !== 'unavailable') exitWith(messageOf(error))
      const { code, detail } = error
      if (!stopping.aborted) outage.met(() => logger.warn({ code, detail }, 'waiting for Postgres'))
    }
    await delay(storeRetryMs, undefined, { signal: stopping }).catch(() => process.exit(0))
  }
}
