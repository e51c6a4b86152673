/**
 * A witness inside an agent: what its client calls and what its task store keeps, told to the ledger.
 *
 * The agent is never slowed by the ledger nor failed by its absence. What is seen waits in memory, up
 * to a bound; beyond it events are counted, and the counts are told as a gap where they would have stood.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { AgentCard } from '@a2a-js/sdk'
import type { TaskStore } from '@a2a-js/sdk/server'
import { advertisedBy, type Capabilities, checkEmission, rfc3339Of } from '@a2a-ledger/domain'
import { nodeCodec } from '@a2a-ledger/node-codec'
import { createKafkaWriter, type ObservationProducer } from './kafka-writer.ts'
import { createMemorySpool } from './memory-spool.ts'
import { createByteBudget, createLedgerWriter, createRecorder, scopeWith, watchCall } from './recording/index.ts'
import { createRecordingFetch } from './recording-fetch.ts'
import { createRecordingTaskStore } from './recording-task-store.ts'
import type { Work } from './work.ts'

export interface WitnessOptions {
  /** Names this witness: the `source` of what it tells. One for every process of an agent. */
  readonly source: string
  /** Where the ledger is: its address, or a producer of its Kafka cluster, or both. */
  readonly to: { readonly ledgerUrl: string } | { readonly kafka: ObservationProducer; readonly topic?: string; readonly ledgerUrl?: string }
  /**
   * The secret that scopes are made with, the same for all witnesses of a deployment (`PROXY_KEY` of its
   * proxies). Absent: nothing is told of who calls, but that nobody in particular does.
   */
  readonly scopeKey?: string
  /** Bytes that may wait for the ledger, 16 MiB; as many again for bodies that are being read. */
  readonly bufferBytesMax?: number
  /** Headers of an answer that name the replica that gave it. */
  readonly instanceHeaders?: readonly string[]
  readonly log?: WitnessLog
}

export interface WitnessLog {
  readonly warn: (fields: object, message: string) => void
  readonly error: (fields: object, message: string) => void
}

export interface FetchOptions {
  /** The worker that is called, or the one of an address; `undefined`: not told. */
  readonly workerId: string | ((url: URL) => string | undefined)
  /**
   * Where the worker is enrolled: what stands between it and an operation of HTTP+JSON is the tenant.
   * Absent: everything before the operation is, which is another tenant than a proxy sees.
   */
  readonly baseUrl?: string
  /** What makes the calls; default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch
}

export interface TaskStoreOptions {
  readonly workerId: string
  /** Which replica of the worker this process is. Without it a restart proves nothing about a worker with several. */
  readonly instance?: string
  /** Raises before a task is saved that the card, or what is verified of it, does not cover. */
  readonly guard?: { readonly card: AgentCard; readonly verified?: Capabilities }
}

export interface WitnessStatus {
  readonly isLedgerAnswering: boolean
  /** Since the start. */
  readonly toldEvents: number
  /** Counted instead of kept, since the start. */
  readonly missedEvents: number
  /** Events and reports of gaps that the ledger does not have yet; what was counted and found no room is a report too. */
  readonly waiting: number
}

export interface Witness {
  /** A `fetch` for the transports and the card resolver of the SDK's client. */
  readonly fetch: (options: FetchOptions) => typeof globalThis.fetch
  /** Runs `act`; every call made in it is about `work`. The header `a2a-ledger-correlation-id` of a call comes before. */
  readonly about: <Result>(work: Work, act: () => Result) => Result
  /** The store, recorded. Tells that the worker started. */
  readonly taskStore: (store: TaskStore, options: TaskStoreOptions) => TaskStore
  readonly status: () => WitnessStatus
  /** Tells what waits, for `atMostMs` at most; what is not told by then is lost, and logged by count. */
  readonly stop: (atMostMs?: number) => Promise<WitnessStatus>
}

const instanceHeaders = ['x-a2a-instance', 'x-instance-id', 'x-pod-name']
const bufferBytes = 16 * 1024 * 1024
const stopMs = 5_000
const silent: WitnessLog = { warn: () => undefined, error: () => undefined }

/** What waits on it keeps no process alive. */
const timer = {
  after: async (ms: number): Promise<void> => delay(ms, undefined, { ref: false }),
  elapsedMs: (): number => performance.now(),
}
const clock = (): number => Date.now()

export function createWitness({ source, to, scopeKey, bufferBytesMax = bufferBytes, instanceHeaders: instanceNames = instanceHeaders, log = silent }: WitnessOptions): Witness {
  const givingUp = new AbortController()
  const spool = createMemorySpool(bufferBytesMax)
  const recorder = createRecorder(
    { source, spool, ledger: writerOf(to, givingUp.signal), timer, clock, log, newId: () => randomUUID(), chance: Math.random },
    undefined,
  )
  const works = new AsyncLocalStorage<Work>()
  const budget = createByteBudget(bufferBytesMax)
  const copies = new Set<Promise<void>>()
  const failed = (error: unknown): void => log.error({ err: error }, 'what was seen could not be recorded')
  const watchPorts = { source, record: recorder.record, miss: recorder.miss, clock, codec: nodeCodec, newId: () => randomUUID() }

  const status = (): WitnessStatus => {
    const { untoldGaps, ...counted } = recorder.status()
    return { ...counted, waiting: spool.status().entries + untoldGaps }
  }

  return {
    fetch: ({ workerId, baseUrl, fetch = (input, init) => globalThis.fetch(input, init) }) =>
      createRecordingFetch({
        fetch,
        workerOf: typeof workerId === 'string' ? () => workerId : workerId,
        pathOf: (url) => pathBehind(baseUrl, url),
        watch: (context, request) => watchCall(watchPorts, context, request),
        scopeOf: scopeWith(scopeKey, nodeCodec),
        currentWork: () => works.getStore(),
        budget,
        instanceHeaders: instanceNames,
        unread: (worker) => recorder.miss({ workerId: worker, reason: 'not_recorded', byType: {}, calls: 1 }),
        reading: (copy) => {
          copies.add(copy)
          void copy.finally(() => copies.delete(copy))
        },
        failed,
      }),
    about: (work, act) => works.run(work, act),
    taskStore: (store, { workerId, instance, guard }) => {
      const life = randomUUID()
      let count = 0
      let saves = 0
      const told = (type: string, data: string, more: Readonly<Record<string, string>>): void => {
        count += 1
        const own = { workerid: workerId, ...(instance !== undefined && { instance }), ...more }
        const attributes = { specversion: '1.0' as const, id: `${life}.${count}`, source, type, time: rfc3339Of(clock()), ...own }
        recorder.record({ attributes, data: nodeCodec.utf8Encode(data) })
      }
      told('a2a.worker-restarted', JSON.stringify({ reason: 'its process started' }), {})
      return createRecordingTaskStore(store, {
        guard: guard === undefined ? undefined : guardOf(guard),
        saved: ({ id, json }) => {
          saves += 1
          try {
            told('a2a.task', json, { operation: 'Emit', taskid: id, protocolversion: '1.0', streamid: life, sequence: String(saves) })
          } catch (error) {
            failed(error)
          }
        },
        failed,
      })
    },
    status,
    stop: async (atMostMs = stopMs) => {
      const untilMs = timer.elapsedMs() + atMostMs
      await Promise.race([Promise.allSettled(copies), timer.after(atMostMs)])
      await recorder.stop(Math.max(0, untilMs - timer.elapsedMs()))
      givingUp.abort()
      await spool.close()
      const last = status()
      if (last.waiting > 0) log.error(last, 'the ledger did not take everything that was seen; what waited is lost')
      return last
    },
  }
}

/** What stands behind `baseUrl` in the path of `url`; all of it where it does not lie below. */
function pathBehind(baseUrl: string | undefined, { origin, pathname }: URL): string {
  if (baseUrl === undefined) return pathname
  const base = new URL(baseUrl)
  const folder = base.pathname.replace(/\/$/, '')
  const isBelow = base.origin === origin && (pathname === folder || pathname.startsWith(`${folder}/`))
  return isBelow ? pathname.slice(folder.length) || '/' : pathname
}

function writerOf(to: WitnessOptions['to'], signal: AbortSignal) {
  const http = to.ledgerUrl === undefined ? undefined : createLedgerWriter({ url: to.ledgerUrl, signal })
  if ('kafka' in to) return createKafkaWriter({ producer: to.kafka, topic: to.topic ?? 'a2a.observations', http })
  return createLedgerWriter({ url: to.ledgerUrl, signal })
}

/** Errors: throws `TypeError` where the card says nothing of what it advertises. */
function guardOf({ card, verified }: NonNullable<TaskStoreOptions['guard']>): (task: string) => void {
  const advertised = advertisedBy(JSON.stringify(AgentCard.toJSON(card)))
  if (advertised === undefined) throw new TypeError('The card is none, so nothing can be held against it.')
  const contract = { advertised, verified: verified ?? advertised }
  return (task) => checkEmission(task, contract)
}
