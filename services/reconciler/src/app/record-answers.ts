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

/**
 * What a worker answered is in the ledger, however long that is away.
 *
 * Errors: throws `ledger_unavailable` once it is stopped.
 */
export async function recordAnswers(ports: RecordPorts, workerId: string, events: readonly WitnessedEvent[], stopping: AbortSignal): Promise<void> {
  const pauseMs = ports.backOff()
  const untilStopped = new Promise<void>((resolve) => stopping.addEventListener('abort', () => resolve(), { once: true }))
  while (events.length > 0) {
    try {
      const outcomes = await ports.witness.observeAll(events)
      const refused = outcomes.filter(({ outcome }) => outcome !== 'recorded' && outcome !== 'duplicate')
      if (refused.length > 0) ports.log.error({ workerId, refused }, 'the ledger does not understand what an observed worker answered')
      return
    } catch (error) {
      if (!(error instanceof LedgerError) || error.kind !== 'unavailable' || stopping.aborted) throw error
      await Promise.race([ports.timer.after(Math.min(pauseMsMax, pauseMs())), untilStopped])
    }
  }
}
