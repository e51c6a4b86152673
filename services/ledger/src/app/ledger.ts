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

/** How often a worker's pushes were delivered again. */
export interface PushRepeatStore {
  readonly add: (workerId: string) => Promise<void>
}

/** Inputs, and bytes, prepared before others get a turn: a batch of 8 MiB must not stop the event loop. */
const preparedAtOnceMax = 32
const preparedBytesAtOnceMax = 256 * 1024

/**
 * A ledger that prepares with `preparation` and writes through `queue`.
 *
 * `pause` gives other work a turn; `isEqual` compares two hex texts in constant time.
 */
export const createLedger = (parts: {
  readonly preparation: Preparation
  readonly queue: AppendQueue
  readonly pushSecrets: PushSecretStore
  readonly pushRepeats: PushRepeatStore
  readonly reader: Pick<LedgerReader, 'quarantinedInput'>
  readonly pause: () => Promise<void>
  readonly isEqual: (one: string, other: string) => boolean
}): Ledger => {
  const { preparation, queue, pushSecrets, pushRepeats, reader, pause, isEqual } = parts

  const prepareAll = async (events: readonly IncomingEvent[]): Promise<readonly Prepared[]> => {
    const prepared: Prepared[] = []
    let count = 0
    let bytes = 0
    for (const event of events) {
      if (count === preparedAtOnceMax || bytes >= preparedBytesAtOnceMax) {
        await pause()
        count = 0
        bytes = 0
      }
      prepared.push(preparation.event(event))
      count += 1
      bytes += event.data?.length ?? 0
    }
    return prepared
  }

  const replay = async (quarantineId: string): Promise<AppendOutcome | undefined> => {
    const entry = await reader.quarantinedInput(quarantineId)
    if (entry === undefined) return undefined
    const { attributes, via, bytes, headers, reason, detail } = entry
    if (attributes === undefined) return { outcome: 'quarantined', quarantineId, reason, detail }
    const data = bytes.length === 0 ? undefined : bytes
    const prepared = preparation.event({ via, attributes, data, headers }, quarantineId)
    if (prepared.kind === 'quarantine') {
      return { outcome: 'quarantined', quarantineId, reason: prepared.row.reason, detail: prepared.row.detail }
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
    countPushRepeat: (workerId) => pushRepeats.add(workerId),
    isPushTrusted: async ({ presented, ...push }) => {
      const wanted = await pushSecrets.secretHashesFor(push)
      if (wanted.length === 0) return true
      const given = presented.map(preparation.secretHash)
      // No early exit: how long it takes says nothing about which secret came close.
      return wanted.reduce((found, one) => given.reduce((hit, other) => isEqual(one, other) || hit, found), false)
    },
  }
}
