/**
 * The ledger's side of Kafka, put together: ingest from `<prefix>observations`, and the relay.
 *
 * connecting: the topics could not be looked at yet. Tried again until Kafka and Postgres answer;
 *             meanwhile the ledger records what comes over HTTP. Leaves to running or refused.
 * running:    ingest and relay live on their own from here.
 * refused:    the topics are not fit. Nothing is read or published. Final: leaves by a restart.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Codec } from '@a2a-ledger/domain'
import { untilAborted } from '@a2a-ledger/service-kit/http'
import type { Kafka, KafkaLog } from '@a2a-ledger/service-kit/kafka'
import { createOutage } from '@a2a-ledger/service-kit/outage'
import { messageOf } from '@a2a-ledger/service-kit/process'
import type { AppendOutcome, KafkaHealth, Ledger, LedgerReader } from '../../app/ports.ts'
import type { RelayStore } from '../../app/relay-store.ts'
import { checkFeed } from './check-feed.ts'
import { consumeObservations, type ObservationsConsumer } from './consume-observations.ts'
import { startRelay, type Relay } from './relay.ts'
import { prepareTopics, topicNames, type TopicSettings } from './topics.ts'

export interface OpenKafkaOptions {
  readonly kafka: Kafka
  readonly ledger: Ledger
  readonly reader: LedgerReader
  readonly relayStore: RelayStore
  readonly codec: Codec
  readonly log: KafkaLog
  readonly settings: TopicSettings
  /** Names this process. */
  readonly owner: string
  /** Aborted: nothing is begun any more, and what was begun waits for `stop`. */
  readonly stopping: AbortSignal
  readonly counted: (outcome: AppendOutcome['outcome']) => void
}

export interface OpenKafka {
  readonly health: () => KafkaHealth
  /** Ends both within about `withinMs`; the term of the relay is given back. */
  readonly stop: (withinMs: number) => Promise<void>
}

const retryMs = 1_000

/** Returns after the first look at the topics, whatever came of it, and at once when it is told to stop. */
export async function openKafka(options: OpenKafkaOptions): Promise<OpenKafka> {
  const { kafka, ledger, reader, relayStore, codec, log, settings, owner, stopping, counted } = options
  const names = topicNames(settings.prefix)
  const ended = new AbortController()
  const quiet = AbortSignal.any([stopping, ended.signal])
  let relay: Relay | undefined
  let ingest: ObservationsConsumer | undefined
  let problems: readonly string[] = []

  const outage = createOutage()

  /** False: somebody did not answer. */
  const look = async (): Promise<boolean> => {
    try {
      // Before topics are made: one that was published to and is gone must not be made again.
      const changed = await checkFeed({ topics: kafka.topics, store: relayStore, reader, names })
      if (quiet.aborted) return true
      problems = changed.length > 0 ? changed : await prepareTopics(kafka.topics, settings)
    } catch (error) {
      if (quiet.aborted) return true
      outage.met(() => log.warn({ detail: messageOf(error) }, 'waiting for Kafka'))
      return false
    }
    if (quiet.aborted) return true
    outage.over(() => log.info({}, 'Kafka answers'))
    if (problems.length > 0) {
      log.error({ problems }, 'the topics are not fit: nothing is read from Kafka or published')
      return true
    }
    relay = startRelay({ kafka, store: relayStore, reader, log, settings, owner })
    ingest = consumeObservations({ kafka, ledger, codec, log, topicPrefix: settings.prefix, counted })
    return true
  }
  const keepLooking = async (): Promise<void> => {
    while (!quiet.aborted) {
      await delay(retryMs, undefined, { signal: quiet }).catch(() => undefined)
      if (quiet.aborted || (await look())) return
    }
  }

  const looked = await Promise.race([look(), untilAborted(quiet).then(() => true)])
  if (!looked) void keepLooking()
  return {
    health: () => {
      const status = problems.length > 0 ? 'refused' : 'connecting'
      if (relay === undefined || ingest === undefined) return { ingest: { status }, relay: { status, position: 0 }, problems }
      const relaying = relay.status()
      return { ingest: ingest.status(), relay: relaying, problems: relaying.status === 'refused' ? relaying.problems : [] }
    },
    stop: async (withinMs) => {
      ended.abort()
      await ingest?.stop(withinMs)
      await relay?.stop(withinMs)
    },
  }
}
