/**
 * Observes the workers whose enrolment says so, each by one process: the one that applies the worker's own
 * stream. When that process is gone its partitions are another one's, and so are the workers.
 */
import { workerCorrelationId } from '@a2a-ledger/domain'
import { keepGoing } from './keep-going.ts'
import { observeWorker, type ObservePorts, type WorkerObservation } from './observe-worker.ts'
import { isInShare } from './partition-store.ts'
import type { FactStore, Observed, ObservedWorker, WorkShare } from './ports.ts'

export type ObservingPorts = Omit<ObservePorts, 'onCall'> & {
  readonly store: ObservePorts['store'] & Pick<FactStore, 'observedWorkers'>
  /** Which streams this process applies; none while it should leave workers alone. */
  readonly share: () => WorkShare
}

export interface ObserverStatus {
  readonly workers: number
  /** Those that do not answer at present. */
  readonly silent: number
  /** Tasks whose stream is open. */
  readonly streams: number
  /** Since the start. */
  readonly calls: Readonly<Record<Observed['outcome'], number>>
}

export interface Observer {
  readonly status: () => ObserverStatus
  /** Calls that are under way are cut, and not recorded. */
  readonly stop: () => Promise<void>
}

const lookMs = 1_000
const workersMax = 10_000

interface Running {
  readonly observation: WorkerObservation
  /** Of the last enrolment. */
  readonly enrolled: (position: number) => void
  readonly stop: () => Promise<void>
}

export function keepObserving(ports: ObservingPorts, isActive: () => boolean): Observer {
  const { log, timer } = ports
  const running = new Map<string, Running>()
  const calls = { answered: 0, unanswered: 0, 'not-called': 0 }
  const failure = (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) })

  const start = ({ workerId, enrolledPosition }: ObservedWorker): Running => {
    const stopping = new AbortController()
    const observation = observeWorker({ ...ports, onCall: (outcome) => void (calls[outcome] += 1) }, workerId)
    let position = enrolledPosition
    const going = keepGoing(async () => (isActive() ? observation.round(position, stopping.signal) : lookMs), {
      timer,
      retryMs: lookMs,
      onFailure: (error) => {
        if (!stopping.signal.aborted) log.warn({ workerId, ...failure(error) }, 'a worker cannot be observed now')
      },
    })
    return {
      observation,
      enrolled: (at) => void (position = at),
      stop: async () => {
        stopping.abort()
        await going.stop()
        await observation.close()
      },
    }
  }

  /**
   * Whom this process should observe now is observed, and nobody else. While it is behind nobody new is, and
   * what is known of the others stays: they would all be asked about everything again.
   */
  const look = async (): Promise<number> => {
    const listed = isActive() ? await ports.store.observedWorkers(workersMax) : undefined
    const share = ports.share()
    const isOurs = (workerId: string): boolean => share.partitions.length > 0 && isInShare(share, workerCorrelationId(workerId), ports.fold.codec)
    const wanted = listed && new Set(listed.map(({ workerId }) => workerId))
    const gone = [...running].filter(([workerId]) => !isOurs(workerId) || wanted?.has(workerId) === false)
    for (const [workerId] of gone) running.delete(workerId)
    await Promise.all(gone.map(([, { stop }]) => stop()))
    for (const worker of listed ?? []) {
      const known = running.get(worker.workerId)
      if (known !== undefined) known.enrolled(worker.enrolledPosition)
      else if (isOurs(worker.workerId)) running.set(worker.workerId, start(worker))
    }
    return lookMs
  }

  const going = keepGoing(look, { timer, retryMs: lookMs, onFailure: (error) => log.warn(failure(error), 'who is to be observed cannot be told now') })
  return {
    status: () => {
      const observations = [...running.values()].map(({ observation }) => observation)
      return {
        workers: observations.length,
        silent: observations.filter(({ isSilent }) => isSilent()).length,
        streams: observations.reduce((sum, { streamCount }) => sum + streamCount(), 0),
        calls: { ...calls },
      }
    },
    stop: async () => {
      await going.stop()
      await Promise.all([...running.values()].map(({ stop }) => stop()))
    },
  }
}
