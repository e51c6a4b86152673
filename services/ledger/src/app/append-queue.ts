/**
 * Group commit (L4): requests that arrive while a transaction runs go into the next one together.
 *
 * One transaction at a time, since the lock would serialise more anyway. Two lanes, each bounded by
 * its own bytes: decisions of this deployment go first and are not shut out by ingest (P5).
 * Worst case: a full lane; its callers get `overloaded` at once, and memory does not grow.
 */
import { LedgerError } from '@a2a-ledger/domain'
import type { AppendOutcome } from './ports.ts'
import type { Prepared } from './prepared.ts'

/** Writes one group, durably, in order; the store's half of an append. */
export interface GroupStore {
  /** Throws `store_unavailable`, `outcome_unknown` or a defect for the group as a whole. */
  readonly commit: (group: readonly Prepared[]) => Promise<readonly AppendOutcome[]>
}

export interface QueueLimits {
  /** Bytes that wait in one lane. */
  readonly waitingBytesMax: number
  /** Inputs and bytes of one transaction; a single request may exceed both. */
  readonly groupCountMax: number
  readonly groupBytesMax: number
}

export type Lane = 'decisions' | 'ingest'

interface Request {
  readonly inputs: readonly Prepared[]
  readonly byteCount: number
  readonly resolve: (outcomes: readonly AppendOutcome[]) => void
  readonly reject: (reason: unknown) => void
}

export interface AppendQueue {
  /** The outcomes of `inputs`, durable; all of one request are in one transaction. */
  readonly append: (lane: Lane, inputs: readonly Prepared[]) => Promise<readonly AppendOutcome[]>
  /** Resolves when nothing is waiting or being written any more. */
  readonly drained: () => Promise<void>
}

/** A queue in front of `store`. */
export const createAppendQueue = (store: GroupStore, limits: QueueLimits): AppendQueue => {
  const lanes: Record<Lane, Request[]> = { decisions: [], ingest: [] }
  const waitingBytes: Record<Lane, number> = { decisions: 0, ingest: 0 }
  let running: Promise<void> | undefined

  const takeGroup = (): readonly Request[] => {
    const group: Request[] = []
    let count = 0
    let bytes = 0
    for (const lane of ['decisions', 'ingest'] as const) {
      for (let next = lanes[lane][0]; next !== undefined; next = lanes[lane][0]) {
        const isFull = count + next.inputs.length > limits.groupCountMax || bytes + next.byteCount > limits.groupBytesMax
        if (group.length > 0 && isFull) return group
        lanes[lane].shift()
        waitingBytes[lane] -= next.byteCount
        count += next.inputs.length
        bytes += next.byteCount
        group.push(next)
      }
    }
    return group
  }

  const write = async (group: readonly Request[]): Promise<void> => {
    try {
      const outcomes = await store.commit(group.flatMap(({ inputs }) => inputs))
      let from = 0
      for (const { inputs, resolve } of group) {
        resolve(outcomes.slice(from, from + inputs.length))
        from += inputs.length
      }
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  const run = async (): Promise<void> => {
    for (let group = takeGroup(); group.length > 0; group = takeGroup()) await write(group)
    running = undefined
  }

  return {
    append: (lane, inputs) =>
      new Promise((resolve, reject) => {
        const byteCount = inputs.reduce((sum, input) => sum + input.byteCount, 0)
        if (waitingBytes[lane] > 0 && waitingBytes[lane] + byteCount > limits.waitingBytesMax) {
          const detail = `${waitingBytes[lane]} bytes are waiting to be recorded; send the same again later.`
          reject(new LedgerError('overloaded', detail))
          return
        }
        lanes[lane].push({ inputs, byteCount, resolve, reject })
        waitingBytes[lane] += byteCount
        running ??= Promise.resolve().then(run)
      }),
    drained: async () => {
      while (running !== undefined) await running
    },
  }
}
