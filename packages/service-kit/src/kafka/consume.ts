/**
 * One member of a consumer group, for as long as it is wanted.
 *
 * joining:   no partition: none so far, or the group is sharing them out anew. Leaves to consuming
 *            with the next assignment.
 * consuming: partitions are assigned; after each change of the group the offsets are asked for
 *            again before anything is read.
 * broken:    the client gave up. A new member takes its place, after a pause that grows to
 *            `pauseMsMax`; never final, so that outages spread over days add up to nothing. Where it
 *            gave up since the group changed that is joining, and no outage.
 * stopped:   `stop()`. Final.
 *
 * The client resumes by itself after some failures and not after others; here every end of it is
 * final and answered by a new one, so there is one way to recover.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Consumer, EachBatchPayload, Kafka as Client } from 'kafkajs'
import type { ConsumeOptions, ConsumerStatus, KafkaConsumer, KafkaLog } from './port.ts'
import { isChangeOfGroup } from './group-change.ts'
import { fromWireRecord } from './records.ts'
import { LeftGroup } from './stay-in-group.ts'

const pauseMsMin = 250
const pauseMsMax = 5_000
/** Also how long partitions wait after they were all paused. */
const maxWaitTimeInMs = 200

export function consume(client: Client, log: KafkaLog, options: ConsumeOptions): KafkaConsumer {
  const { topic, groupId, sessionTimeoutMs } = options
  let status: ConsumerStatus = { status: 'joining' }
  let isStopping = false
  let member: Consumer | undefined
  /** When the request was sent, at the earliest, that the group answered last; and when it answered. */
  let heardMs = { since: -Infinity, at: -Infinity }
  const hear = (since: number): void => {
    heardMs = { since, at: performance.now() }
  }
  /** The group gave us partitions, and we neither gave them up nor were told to. */
  let isAssigned = false
  const giveUp = (): void => {
    isAssigned = false
    status = { status: 'joining' }
  }
  const stopping = new AbortController()

  const serve = async (): Promise<void> => {
    let pauseMs = pauseMsMin
    while (!isStopping) {
      const consumer = client.consumer({
        groupId,
        sessionTimeout: sessionTimeoutMs,
        heartbeatInterval: Math.floor(sessionTimeoutMs / 5),
        rebalanceTimeout: 2 * sessionTimeoutMs,
        maxWaitTimeInMs,
        allowAutoTopicCreation: false,
        retry: { retries: 3, initialRetryTime: 200, maxRetryTime: 2_000, restartOnFailure: async () => false },
      })
      member = consumer
      try {
        await untilBroken(consumer, () => (pauseMs = pauseMsMin))
      } catch (error) {
        if (isStopping) break
        giveUp()
        const detail = error instanceof Error ? error.message : String(error)
        if (isChangeOfGroup(error)) {
          log.info({ topic, groupId, detail }, 'the group changed: joining again')
        } else {
          status = { status: 'broken', detail }
          log.warn({ topic, groupId, detail, pauseMs }, 'the consumer broke and joins again')
        }
        await consumer.disconnect().catch(() => undefined)
        await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined)
        pauseMs = Math.min(2 * pauseMs, pauseMsMax)
      }
    }
  }

  /** Rejects with what broke the member; `onBatchDone` says that it works. */
  const untilBroken = async (consumer: Consumer, onBatchDone: () => void): Promise<never> => {
    let generation = 0
    const crashed = new Promise<never>((_, reject) => {
      consumer.on('consumer.crash', ({ payload }) => reject(payload.error))
      stopping.signal.addEventListener('abort', () => reject(new Error('stopped')))
    })
    crashed.catch(() => undefined)
    consumer.on('consumer.heartbeat', () => hear(heardMs.at)) // one request after the other
    consumer.on('consumer.rebalancing', giveUp)
    consumer.on('consumer.group_join', ({ payload }) => {
      generation += 1
      hear(performance.now() - payload.duration)
      const partitions = payload.memberAssignment[topic] ?? []
      isAssigned = partitions.length > 0
      status = { status: isAssigned ? 'consuming' : 'joining' }
      if (options.offsets === undefined || partitions.length === 0) return
      // In this very turn, or the client would begin to read where it thinks fit.
      consumer.pause([{ topic, partitions }])
      void place(consumer, partitions, generation, () => generation)
    })
    await Promise.race([crashed, consumer.connect()])
    await Promise.race([crashed, consumer.subscribe({ topic, fromBeginning: true })])
    await Promise.race([
      crashed,
      consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: options.partitionsAtOnce,
        eachBatch: async (payload) => {
          const read = generation
          try {
            await handle(payload, () => read === generation && !isStopping && payload.isRunning() && !payload.isStale())
          } catch (error) {
            if (isChangeOfGroup(error) && read === generation) giveUp()
            // The client knows its own errors, and joins again by itself.
            throw error instanceof LeftGroup ? (error.cause ?? error) : error
          }
          onBatchDone()
        },
      }),
    ])
    return crashed
  }

  /** Seeks every partition to where it has to be read from, then lets it go on. */
  const place = async (
    consumer: Consumer,
    partitions: readonly number[],
    mine: number,
    current: () => number,
  ): Promise<void> => {
    for (let pauseMs = pauseMsMin; mine === current() && !isStopping; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
      try {
        const offsets = await options.offsets?.assigned(partitions)
        if (mine !== current() || isStopping) return
        for (const [partition, offset] of offsets ?? []) {
          consumer.seek({ topic, partition, offset: String(offset) })
          consumer.resume([{ topic, partitions: [partition] }])
        }
        return
      } catch (error) {
        const detail = error instanceof Error ? error.message : String(error)
        log.warn({ topic, groupId, detail }, 'the offsets cannot be loaded now')
        await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      }
    }
  }

  const handle = async (payload: EachBatchPayload, isCurrent: () => boolean): Promise<void> => {
    if (!isCurrent()) return
    const { batch } = payload
    const { partition } = batch
    const records = batch.messages.map(fromWireRecord)
    const lastRecord = batch.messages.at(-1)?.offset
    await options.onBatch({
      partition,
      fetchedOffset: fetchedOffsetOf(batch),
      nextOffset: Number(batch.lastOffset()) + 1,
      records,
      isCurrent,
      heartbeat: payload.heartbeat,
      done: async (offset) => {
        const isWhole = lastRecord !== undefined && offset > Number(lastRecord)
        payload.resolveOffset(isWhole ? lastRecord : String(offset - 1))
        const committed = { topic, partitions: [{ partition, offset: String(offset) }] }
        // What Kafka knows is a lag gauge where others keep the offsets: losing it does not matter.
        const commit = payload.commitOffsetsIfNecessary({ topics: [committed] })
        await (options.offsets === undefined ? commit : commit.catch(() => undefined))
        await payload.heartbeat()
      },
    })
  }

  const serving = serve()
  return {
    status: () => status,
    isMember: () => isAssigned && !isStopping && performance.now() - heardMs.since < sessionTimeoutMs,
    stop: async (withinMs) => {
      isStopping = true
      stopping.abort()
      const leave = async (): Promise<void> => {
        await member?.disconnect().catch(() => undefined)
        await serving
      }
      await Promise.race([leave(), delay(withinMs, undefined, { ref: false })])
      status = { status: 'stopped' }
    },
  }
}

/** The client's own field; without it the first record has to do. */
const fetchedOffsetOf = (batch: EachBatchPayload['batch']): number => {
  const { fetchedOffset } = batch as { readonly fetchedOffset?: string }
  return Number(fetchedOffset ?? batch.firstOffset())
}
