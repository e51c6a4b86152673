/** The ledger's inner door on its tables: a decision is recorded once, and not on a stream that moved. */
import type pg from 'pg'
import type { LedgerClient, NewEvent } from '../src/app/ports.ts'
import { inTurn, type TestEvent } from './ledger-tables.ts'

export interface DecidingLedger {
  /** As one process calls it; `onSent` is awaited when the request is on its way. */
  readonly clientOf: (process: string, onSent?: () => Promise<void>) => LedgerClient
  /** By whom each verdict was recorded, in order: the answer to every other attempt was another one. */
  readonly recorded: readonly { readonly by: string; readonly correlationId: string; readonly id: string }[]
}

export function createDecidingLedger(admin: pg.ClientBase, append: (events: readonly TestEvent[]) => Promise<number>): DecidingLedger {
  const recorded: { by: string; correlationId: string; id: string }[] = []
  const positions = new Map<string, number>()
  const endOf = async (correlationId: string): Promise<number> => {
    const { rows } = await admin.query<{ position: string | null }>('SELECT max(position) AS position FROM ledger.events WHERE correlation_id = $1', [correlationId])
    return Number(rows[0]?.position ?? 0)
  }
  const appendFor = inTurn(async (by: string, { attributes, data }: NewEvent, ifStreamPosition: number) => {
    const { id, type, correlationid: correlationId = '' } = attributes
    const before = positions.get(id)
    if (before !== undefined) return { outcome: 'duplicate', position: before, correlationId } as const
    if ((await endOf(correlationId)) > ifStreamPosition) return { outcome: 'stale' } as const
    const position = await append([{ ...attributes, type, correlationId, data }])
    positions.set(id, position)
    recorded.push({ by, correlationId, id })
    return { outcome: 'recorded', position, correlationId } as const
  })
  return {
    recorded,
    clientOf: (process, onSent = async () => undefined) => ({
      observe: async () => {
        throw new Error('nothing is observed here')
      },
      append: async (event, ifStreamPosition = Infinity, isOurs = () => true) => {
        if (!isOurs()) return { outcome: 'stale' }
        await onSent()
        return appendFor(process, event, ifStreamPosition)
      },
    }),
  }
}
