/** The append side (`Ledger`): preparation and the queue, put together. */
import type { AppendQueue } from './append-queue.ts'
import type { AppendOutcome, IncomingEvent, Ledger, LedgerReader } from './ports.ts'
import type { Prepared } from './prepared.ts'
import type { Preparation } from './prepare-event.ts'

/** Which secrets, hashed, may open a push; none: every push is believed. */
export interface PushSecretStore {
  readonly secretHashesFor: (push: {
    readonly workerId: string
    readonly correlationId: string | undefined
    readonly taskId: string | undefined
  }) => Promise<readonly string[]>
}

/** Inputs prepared before others get a turn: a batch of 8 MiB must not stop the event loop. */
const preparedAtOnceMax = 32

/**
 * A ledger that prepares with `preparation` and writes through `queue`.
 *
 * `pause` gives other work a turn; `isEqual` compares two hex texts in constant time.
 */
export const createLedger = (parts: {
  readonly preparation: Preparation
  readonly queue: AppendQueue
  readonly pushSecrets: PushSecretStore
  readonly reader: Pick<LedgerReader, 'quarantinedInput'>
  readonly pause: () => Promise<void>
  readonly isEqual: (one: string, other: string) => boolean
}): Ledger => {
  const { preparation, queue, pushSecrets, reader, pause, isEqual } = parts

  const prepareAll = async (events: readonly IncomingEvent[]): Promise<readonly Prepared[]> => {
    const prepared: Prepared[] = []
    for (const [index, event] of events.entries()) {
      if (index > 0 && index % preparedAtOnceMax === 0) await pause()
      prepared.push(preparation.event(event))
    }
    return prepared
  }

  const replay = async (quarantineId: string): Promise<AppendOutcome | undefined> => {
    const entry = await reader.quarantinedInput(quarantineId)
    if (entry === undefined) return undefined
    const { attributes, via, bytes, headers, reason } = entry
    if (attributes === undefined) return { outcome: 'quarantined', quarantineId, reason }
    const data = bytes.length === 0 ? undefined : bytes
    const prepared = preparation.event({ via, attributes, data, headers }, quarantineId)
    if (prepared.kind === 'quarantine') {
      return { outcome: 'quarantined', quarantineId, reason: prepared.row.reason }
    }
    return (await queue.append('ingest', [prepared]))[0]
  }

  return {
    replay,
    append: async (events) => {
      if (events.length === 0) return []
      const lane = events.every(({ via }) => via === 'internal') ? 'decisions' : 'ingest'
      return queue.append(lane, await prepareAll(events))
    },
    quarantine: async (input) => {
      const prepared = preparation.quarantine(input)
      await queue.append('ingest', [prepared])
      return { quarantineId: prepared.row.id }
    },
    isPushTrusted: async ({ presented, ...push }) => {
      const wanted = await pushSecrets.secretHashesFor(push)
      if (wanted.length === 0) return true
      const given = presented.map(preparation.secretHash)
      // No early exit: how long it takes says nothing about which secret came close.
      return wanted.reduce((found, one) => given.reduce((hit, other) => isEqual(one, other) || hit, found), false)
    },
  }
}
