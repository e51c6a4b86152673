/**
 * The distributed form while everything in it dies once: two ledgers, two reconcilers, PostgreSQL,
 * Kafka. Half of the writers send over HTTP, half over Kafka; of every fourth task some answers come
 * before what links them to it.
 *
 *   npm run fault:kafka -- --events 20000 --writers 8 --tasks 500 --pause-ms 20000 --seed 1
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Kafka, logLevel, Partitioners, type Producer } from 'kafkajs'
import { foldFeed, readRecords } from '../support/read-feed.ts'
import { brokenPromises, type ChaosReport } from './chaos-report.ts'
import { compareWithEmbedded } from './compare-embedded.ts'
import { startDistributed, type Distributed } from './distributed.ts'
import { harm } from './harm.ts'
import { headOf, inspectLedger, readAfter } from './inspect-ledger.ts'
import { keepEvidence } from './keep-evidence.ts'
import { seededRandom } from '../support/random.ts'
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

/** How long everything may take to be recorded, published and settled after the last write. */
const settleWithinMs = 400_000

/** Where a promise is broken, or nothing settles, the deployment's data folder stays and is named. */
export async function kafkaChaos(
  plan: ChaosPlan,
  checkViews: (instance: Pick<Distributed, 'adminUrl'>) => Promise<string>,
): Promise<ChaosReport> {
  const { seed, say } = plan
  const laps = [performance.now()]
  const lap = (): void => void laps.push(performance.now())
  const salt = `chaos-${seed}`
  const random = seededRandom(seed)
  const length = Math.floor(plan.events / plan.tasks)
  const histories = Array.from({ length: plan.tasks }, (_, task) => {
    const history = workHistory(task, length, random, salt)
    return task % 4 === 1 ? [...history.slice(2, 5), ...history.slice(0, 2), ...history.slice(5)] : history
  })
  const sent = histories.flat()
  const deployment = await startDistributed(plan.partitions)
  lap()
  try {
    const { acknowledged, retries } = await writeWhileHarmed(deployment, plan, histories)
    lap()
    say(`${sent.length} events acknowledged, ${retries} sends repeated; waiting until all is settled`)
    const settledHead = await untilSettled(deployment, sent)
    lap()
    const ledgerUrl = deployment.ledgers[0]?.url ?? ''
    const feed = foldFeed(await readRecords(deployment.broker.brokers, `${deployment.topicPrefix}ledger`))
    const inspected = await inspectLedger(ledgerUrl, sent, acknowledged, feed.positions)
    say(`${inspected.head} positions, ${feed.duplicates} records came twice; comparing views`)
    const [views, differsFromEmbedded] = await Promise.all([checkViews(deployment), compareWithEmbedded(deployment, sent)])
    lap()
    const [start = 0, write = 0, settle = 0, check = 0] = laps.slice(1).map((at, index) => Math.round(at - (laps[index] ?? at)))
    const { duplicates, gaps, disordered } = feed
    const found = {
      ...inspected,
      isReaderComplete: inspected.isReaderComplete && feed.positions.length >= settledHead,
      retries,
      feed: { duplicates, gaps, disordered },
      undelivered: await undeliveredVerdicts(deployment, inspected.verdictPositions),
      views,
      differsFromEmbedded,
      tookMs: { start, write, settle, check },
    }
    const broken = brokenPromises(found)
    if (broken.length === 0) {
      await deployment.remove()
      return { ...found, broken, evidence: undefined }
    }
    const evidence = await keepEvidence(deployment, { ...found, broken })
    await deployment.stop()
    return { ...found, broken, evidence }
  } catch (cause) {
    const evidence = await keepEvidence(deployment, { failure: String(cause) })
    await deployment.stop()
    throw new Error(`${String(cause)}\nSee ${evidence}`, { cause })
  }
}

/** Everything is acknowledged afterwards; what the ledgers themselves answered is in `acknowledged`. */
async function writeWhileHarmed(
  deployment: Distributed,
  plan: ChaosPlan,
  histories: readonly (readonly ObservedEvent[])[],
): Promise<{ readonly acknowledged: ReadonlyMap<string, Acknowledged>; readonly retries: number }> {
  const acknowledged = new Map<string, Acknowledged>()
  const urls = deployment.ledgers.map(({ url }) => url)
  let written = 0
  let allowed = 0
  let retries = 0
  const writeAll = async (writer: number, send: (batch: readonly ObservedEvent[]) => Promise<number>): Promise<void> => {
    const own = histories.filter((_, task) => task % plan.writers === writer)
    for (const batch of batchesOf(own, seededRandom(plan.seed + writer))) {
      while (written >= allowed) await delay(5)
      retries += await send(batch)
      written += batch.length
    }
  }
  const write = (writer: number): Promise<void> => {
    if (writer % 2 === 1) return producing(deployment, (produce) => writeAll(writer, produce))
    const inTurn = writer % 4 === 0 ? urls : urls.toReversed()
    return writeAll(writer, (batch) => sendUntilAcknowledged(inTurn, batch, acknowledged))
  }
  const harming = harm(deployment, {
    events: plan.events,
    pauseMs: plan.pauseMs,
    random: seededRandom(plan.seed),
    allow: (count) => (allowed += count),
    written: () => written,
    harmed: (name) => plan.say(`${name}: ${written} events acknowledged`),
  })
  await Promise.all([...Array.from({ length: plan.writers }, (_, writer) => write(writer)), harming])
  return { acknowledged, retries }
}

/** Verdicts of the ledger that nobody who reads the decisions topic would hear of. */
async function undeliveredVerdicts({ broker, topicPrefix }: Distributed, positions: readonly number[]): Promise<readonly number[]> {
  const records = await readRecords(broker.brokers, `${topicPrefix}decisions`)
  const delivered = new Set(records.map(({ value }) => (JSON.parse(value) as { readonly position: number }).position))
  return positions.filter((position) => !delivered.has(position))
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

/** Everything sent is recorded, everything recorded is published and applied, and nothing waits. Answers the head. */
async function untilSettled({ ledgers, reconcilers }: Distributed, sent: readonly ObservedEvent[]): Promise<number> {
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
    if (isLevel && quietHead === head) return head
    if (Date.now() > deadlineMs) throw new Error(`Not settled: ${missing.size} events missing, head ${head}, ${JSON.stringify(feed)}`)
    quietHead = isLevel ? head : 0
    await delay(isLevel ? 3_000 : 200)
  }
}
