/**
 * Which workers are enrolled, and where they answer.
 *
 * Learned from the enrolments in the ledger and kept on the disk, so that calls go through when the
 * ledger is away, also after a restart. Another ledger than the one that was read (its database was
 * replaced) is read from its beginning.
 *
 * A worker's card may name interfaces at other addresses than the enrolled one. Their public paths
 * hold a key, a hash of the address; the address itself comes from the card alone, never from the
 * caller, so that nobody can make the proxy call something else.
 */
import type { Codec } from '@a2a-ledger/domain'
import type { EnrolmentReader, KnownWorkers, Log, Timer, WorkerAddress, WorkerStore } from './ports.ts'

export interface DirectoryPorts {
  readonly enrolments: EnrolmentReader
  readonly store: WorkerStore
  readonly timer: Timer
  readonly log: Log
  readonly codec: Codec
}

export interface WorkerDirectory {
  /** Asks the ledger when the worker is not known yet; `undefined`: not enrolled, or nobody knows. */
  readonly find: (workerId: string) => Promise<WorkerAddress | undefined>
  /** The address behind a key of {@link keyOf}; `undefined`: no card named it so far. */
  readonly interfaceOf: (workerId: string, key: string) => string | undefined
  /** Takes in the addresses of a worker's card that lie outside the enrolled one. */
  readonly learnInterfaces: (workerId: string, urls: readonly string[]) => void
  readonly keyOf: (url: string) => string
  /** Whether its pushes go by way of the proxy; `undefined`: its enrolment does not say. */
  readonly isTeed: (workerId: string) => boolean | undefined
  /** True once the ledger was read, now or in an earlier life. */
  readonly isLoaded: () => boolean
  readonly stop: () => void
}

const refreshMs = 1_000
/** A path that names no worker does not make a question to the ledger each time. */
const missesMsMin = 200
/** More than any worker has; a card that names more is not followed further. */
const interfacesMax = 50

export async function openWorkerDirectory({ enrolments, store, timer, log, codec }: DirectoryPorts): Promise<WorkerDirectory> {
  const loaded = await store.load()
  let known: KnownWorkers = loaded ?? { ledgerId: '', epoch: 0, position: 0, workers: new Map(), tees: new Map(), interfaces: new Map() }
  let isLoaded = loaded !== undefined
  let isAnswering = true
  let isStopped = false
  let refreshing: Promise<void> | undefined
  let refreshedAtMs = -Infinity
  let isSaving = false
  let isDirty = false

  const save = async (): Promise<void> => {
    isDirty = true
    if (isSaving) return
    isSaving = true
    while (isDirty) {
      isDirty = false
      await store.save(known).catch((error: unknown) => log.warn({ err: error }, 'the known workers could not be kept on the disk'))
    }
    isSaving = false
  }

  const readOn = async (): Promise<void> => {
    const identity = await enrolments.identity()
    const isSame = identity.ledgerId === known.ledgerId && identity.epoch === known.epoch && identity.head >= known.position
    if (isSame && identity.head === known.position) return
    const slice = await enrolments.after(isSame ? known.position : 0)
    const workers = new Map(isSame ? known.workers : [])
    for (const { workerId, address } of slice.addresses) workers.set(workerId, address)
    const tees = new Map(isSame ? known.tees : [])
    for (const { workerId, isTeed } of slice.tees) tees.set(workerId, isTeed)
    const isChanged = !isSame || slice.addresses.length > 0 || slice.tees.length > 0
    known = { ledgerId: slice.ledgerId, epoch: slice.epoch, position: slice.head, workers, tees, interfaces: isSame ? known.interfaces : new Map() }
    if (isChanged || !isLoaded) void save()
  }

  const refresh = async (): Promise<void> => {
    refreshing ??= (async () => {
      try {
        await readOn()
        isLoaded = true
        isAnswering = true
      } catch (error) {
        if (isAnswering) log.warn({ err: error, known: known.workers.size }, 'the ledger does not say which workers are enrolled; those that are known stay')
        isAnswering = false
      } finally {
        refreshedAtMs = timer.elapsedMs()
        refreshing = undefined
      }
    })()
    return refreshing
  }

  const keepRefreshing = async (): Promise<void> => {
    while (!isStopped) {
      await refresh()
      await timer.after(refreshMs)
    }
  }
  void keepRefreshing()

  return {
    find: async (workerId) => {
      const address = known.workers.get(workerId)
      if (address !== undefined || timer.elapsedMs() - refreshedAtMs < missesMsMin) return address
      await refresh()
      return known.workers.get(workerId)
    },
    interfaceOf: (workerId, key) => known.interfaces.get(workerId)?.get(key),
    learnInterfaces: (workerId, urls) => {
      const before = known.interfaces.get(workerId) ?? new Map<string, string>()
      const keyed = urls.slice(0, interfacesMax).map((url) => [keyOf(codec, url), url] as const)
      if (keyed.every(([key]) => before.has(key))) return
      // An address of an earlier card may still be in use by a client that holds that card.
      const kept = new Map([...before, ...keyed].slice(-interfacesMax))
      known = { ...known, interfaces: new Map([...known.interfaces, [workerId, kept]]) }
      void save()
    },
    keyOf: (url) => keyOf(codec, url),
    isTeed: (workerId) => known.tees.get(workerId),
    isLoaded: () => isLoaded,
    stop: () => {
      isStopped = true
    },
  }
}

const keyOf = (codec: Codec, url: string): string => codec.sha256Hex(url).slice(0, 16)
