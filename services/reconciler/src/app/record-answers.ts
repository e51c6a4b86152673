import { LedgerError } from '@a2a-ledger/domain'
import type { Log, Timer, WitnessClient, WitnessedEvent } from './ports.ts'

export interface RecordPorts {
  readonly witness: WitnessClient
  readonly timer: Timer
  readonly log: Log
  /** Pauses that grow; each call begins with the shortest. */
  readonly backOff: () => () => number
}

const pauseMsMax = 10_000
/** A piece of a stream may hold many events. */
const countMax = 500

/**
 * What a worker answered is in the ledger, however long that is away.
 *
 * Errors: throws `ledger_unavailable` once it is stopped.
 */
export async function recordAnswers(ports: RecordPorts, workerId: string, events: readonly WitnessedEvent[], stopping: AbortSignal): Promise<void> {
  const untilStopped = new Promise<void>((resolve) => stopping.addEventListener('abort', () => resolve(), { once: true }))
  for (let at = 0; at < events.length; at += countMax) {
    const slice = events.slice(at, at + countMax)
    const pauseMs = ports.backOff()
    while (!(await isRecorded(ports, workerId, slice, stopping))) {
      await Promise.race([ports.timer.after(Math.min(pauseMsMax, pauseMs())), untilStopped])
    }
  }
}

/** False: the ledger is away. */
async function isRecorded({ witness, log }: RecordPorts, workerId: string, events: readonly WitnessedEvent[], stopping: AbortSignal): Promise<boolean> {
  try {
    const outcomes = await witness.observeAll(events)
    const refused = outcomes.filter(({ outcome }) => outcome !== 'recorded' && outcome !== 'duplicate')
    if (refused.length > 0) log.error({ workerId, refused }, 'the ledger does not understand what an observed worker answered')
    return true
  } catch (error) {
    if (!(error instanceof LedgerError) || error.kind !== 'unavailable' || stopping.aborted) throw error
    return false
  }
}
