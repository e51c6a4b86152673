/**
 * The distributed form while everything in it dies once: two ledgers, two reconcilers, PostgreSQL,
 * Kafka. Half of the writers send over HTTP, half over Kafka; of every fourth task some answers come
 * before what links them to it.
 *
 *   npm run fault:kafka -- --events 20000 --writers 8 --tasks 500 --pause-ms 20000 --seed 1
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Kafka, logLevel, Partitioners, type Producer } from 'kafkajs'
import { readFeed } from '../support/read-feed.ts'
import { compareWithEmbedded } from './compare-embedded.ts'
import { startDistributed, type Distributed } from './distributed.ts'
import { headOf, inspectLedger, readAfter } from './inspect-ledger.ts'
import { seededRandom } from './random.ts'
import { batchesOf, sendUntilAcknowledged, type Acknowledged } from './send-events.ts'
import { workHistory, type ObservedEvent } from './work-history.ts'

export interface ChaosPlan {
  readonly events: number
  readonly writers: number
  readonly tasks: number
  readonly partitions: number
  /** How long a process is stopped with SIGSTOP. */
  readonly pauseMs: number
  readonly seed: number
  readonly say: (line: string) => void
}

export type ChaosReport = Awaited<ReturnType<typeof inspectLedger>> & {
  readonly retries: number
  /** What a reader of the topic saw who goes by `ce_prev`. */
  readonly feed: { readonly duplicates: number; readonly gaps: readonly string[]; readonly disordered: readonly string[] }
  /** The last word of `rebuild --check`. */
  readonly views: string
  /** Tasks whose view is another one where the same events went through the embedded form. */
  readonly differsFromEmbedded: readonly string[]
  readonly elapsedMs: number
}

/** How long everything may take to be recorded, published and settled after the last write. */
const settleWithinMs = 180_000

export async function kafkaChaos(
  plan: ChaosPlan,
  checkViews: (instance: Pick<Distributed, 'adminUrl'>) => Promise<string>,
): Promise<ChaosReport> {
  const beganMs = Date.now()
  const random = seededRandom(plan.seed)
  const salt = `chaos-${plan.seed}`
  const length = Math.floor(plan.events / plan.tasks)
  const histories = Array.from({ length: plan.tasks }, (_, task) => {
    const history = workHistory(task, length, random, salt)
    return task % 4 === 1 ? [...history.slice(2, 5), ...history.slice(0, 2), ...history.slice(5)] : history
  })
  const sent = histories.flat()
  const deployment = await startDistributed(plan.partitions)
  const acknowledged = new Map<string, Acknowledged>()
  let written = 0
  let allowed = 0
  let retries = 0
  const untilAllowed = async (): Promise<void> => {
    while (written >= allowed) await delay(5)
  }
  try {
    const urls = deployment.ledgers.map(({ url }) => url)
    const write = async (writer: number): Promise<void> => {
      const own = batchesOf(histories.filter((_, task) => task % plan.writers === writer), seededRandom(plan.seed + writer))
      if (writer % 2 === 0) {
        const inTurn = writer % 4 === 0 ? urls : urls.toReversed()
        for (const batch of own) {
          await untilAllowed()
          retries += await sendUntilAcknowledged(inTurn, batch, acknowledged)
          written += batch.length
        }
        return
      }
      await producing(deployment, async (produce) => {
        for (const batch of own) {
          await untilAllowed()
          retries += await produce(batch)
          written += batch.length
        }
      })
    }
    const harming = harm(deployment, plan, () => written, (count) => (allowed += count))
    await Promise.all([...Array.from({ length: plan.writers }, (_, writer) => write(writer)), harming])
    plan.say(`${written} events acknowledged, ${retries} sends repeated; waiting until all is settled`)
    const [ledgerUrl = ''] = urls
    await untilSettled(deployment, sent)
    const feed = await readFeed(deployment.broker.brokers, `${deployment.topicPrefix}ledger`)
    const inspected = await inspectLedger(ledgerUrl, sent, acknowledged, feed.positions)
    plan.say(`${inspected.head} positions, ${feed.duplicates} records came twice; comparing views`)
    const views = await checkViews(deployment)
    const differsFromEmbedded = await compareWithEmbedded(deployment, sent)
    const { duplicates, gaps, disordered } = feed
    return { ...inspected, retries, feed: { duplicates, gaps, disordered }, views, differsFromEmbedded, elapsedMs: Date.now() - beganMs }
  } catch (error) {
    for (const service of [...deployment.ledgers, ...deployment.reconcilers]) plan.say(service.logged.slice(-15).join('\n'))
    throw error
  } finally {
    await deployment.remove()
  }
}

/** How long the events of one share take to be allowed, where nothing is stopped for longer. */
const shareMs = 4_000
const stepMs = 50

/**
 * One harm after the other. Writers may write a share of the events while one is done and a little
 * after, spread over that time, and the last share when all is over.
 */
async function harm(
  deployment: Distributed,
  plan: ChaosPlan,
  written: () => number,
  allow: (count: number) => void,
): Promise<void> {
  const [ledger, otherLedger] = deployment.ledgers
  const [reconciler, otherReconciler] = deployment.reconcilers
  const restart = (service: typeof ledger) => async (): Promise<void> => {
    await service?.kill()
    await delay(1_000)
    await service?.start()
  }
  const stop = (service: typeof ledger) => async (): Promise<void> => {
    service?.pause()
    await delay(plan.pauseMs)
    service?.resume()
  }
  const harms: readonly (readonly [string, () => Promise<void>])[] = [
    ['SIGKILL of a ledger', restart(ledger)],
    ['SIGKILL of a reconciler', restart(reconciler)],
    ['SIGKILL of the broker', async () => {
      await deployment.broker.kill()
      await delay(1_000)
      await deployment.broker.start()
    }],
    ['SIGSTOP of a ledger', stop(otherLedger)],
    ['SIGKILL of PostgreSQL', deployment.killPostgres],
    ['SIGSTOP of a reconciler', stop(otherReconciler)],
  ]
  const share = plan.events / (harms.length + 2)
  const allowShare = async (): Promise<void> => {
    const steps = Math.max(shareMs, plan.pauseMs) / stepMs
    for (let step = 0; step < steps; step += 1) {
      allow(share / steps)
      await delay(stepMs)
    }
  }
  allow(share)
  for (const [name, act] of harms) {
    plan.say(`${name}: ${written()} events acknowledged`)
    await Promise.all([allowShare(), act()])
  }
  allow(plan.events)
}

/** A producer that sends a batch until the broker has it, and says how often it had to. */
async function producing(
  { broker, topicPrefix }: Distributed,
  work: (produce: (batch: readonly ObservedEvent[]) => Promise<number>) => Promise<void>,
): Promise<void> {
  const client = new Kafka({ brokers: [...broker.brokers], logLevel: logLevel.NOTHING, retry: { retries: 2 } })
  let producer: Producer | undefined
  const send = async (batch: readonly ObservedEvent[]): Promise<void> => {
    if (producer === undefined) {
      producer = client.producer({ createPartitioner: Partitioners.DefaultPartitioner, maxInFlightRequests: 1 })
      await producer.connect()
    }
    const headers = { 'content-type': 'application/cloudevents+json' }
    await producer.send({
      topic: `${topicPrefix}observations`,
      acks: -1,
      messages: batch.map((event) => ({ key: event.id.slice(0, event.id.lastIndexOf('-')), value: JSON.stringify(event), headers })),
    })
  }
  await work(async (batch) => {
    for (let retries = 0; ; retries += 1) {
      try {
        await send(batch)
        return retries
      } catch {
        await producer?.disconnect().catch(() => undefined)
        producer = undefined
        await delay(200)
      }
    }
  })
  await producer?.disconnect()
}

/** Everything sent is recorded, everything recorded is published and applied, and nothing waits. */
async function untilSettled({ ledgers, reconcilers }: Distributed, sent: readonly ObservedEvent[]): Promise<void> {
  const deadlineMs = Date.now() + settleWithinMs
  const [ledgerUrl = '', reconcilerUrl = ''] = [ledgers[0]?.url, reconcilers[0]?.url]
  const missing = new Set(sent.map(({ id }) => id))
  const services = [...ledgers, ...reconcilers]
  let after = 0
  let quietHead = 0
  for (;;) {
    const deaths = services.flatMap((service) => service.deaths)
    if (deaths.length > 0) throw new Error(deaths.join('\n'))
    const page = await readAfter(ledgerUrl, after).catch(() => [])
    for (const { id, position } of page) {
      missing.delete(id)
      after = position
    }
    if (page.length > 0) continue
    const head = await headOf(ledgerUrl)
    const feed = await fetch(`${reconcilerUrl}/readyz`).then(
      async (answer) => (await answer.json()) as { readonly feed?: { readonly appliedPosition: number }; readonly rechecks?: number },
      () => undefined,
    )
    const isLevel = missing.size === 0 && feed?.feed?.appliedPosition === head && feed.rechecks === 0
    // Verdicts follow a second later: the grace of the last not-found has to pass.
    if (isLevel && quietHead === head) return
    if (Date.now() > deadlineMs) throw new Error(`Not settled: ${missing.size} events missing, head ${head}, ${JSON.stringify(feed)}`)
    quietHead = isLevel ? head : 0
    await delay(isLevel ? 3_000 : 200)
  }
}
