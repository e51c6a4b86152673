import { nodeCodec } from '@a2a-ledger/service-kit/codec'
import { createTestDatabase, type TestDatabase } from '@a2a-ledger/test/support'
import pg from 'pg'
import { openLedger, type OpenLedger, type OpenLedgerOptions } from '../src/adapters/postgres/open-ledger.ts'
import type { AppendOutcome, IncomingEvent } from '../src/app/ports.ts'

export interface TestLedger extends OpenLedger {
  readonly database: TestDatabase
  /** As the owner of the tables, behind the ledger's back. */
  readonly admin: pg.Client
  readonly problems: unknown[]
  readonly end: () => Promise<void>
}

/** A ledger on a database of its own. */
export async function openTestLedger(options: Partial<OpenLedgerOptions> = {}): Promise<TestLedger> {
  const database = await createTestDatabase()
  const admin = new pg.Client({ connectionString: database.adminUrl })
  await admin.connect()
  const problems: unknown[] = []
  const opened = await openLedger({
    databaseUrl: database.ledgerUrl,
    codec: nodeCodec,
    report: (problem) => void problems.push(problem),
    ...options,
  })
  return {
    ...opened,
    database,
    admin,
    problems,
    end: async () => {
      await opened.close()
      await admin.end()
      await database.drop()
    },
  }
}

export interface Sent extends Partial<Omit<IncomingEvent, 'attributes' | 'data'>> {
  readonly data?: unknown
  readonly [attribute: string]: unknown
}

let sentCount = 0

/** An event as an adapter hands it over: a GetTask answer about `t-1` of `w-1` unless told otherwise. */
export function incoming({ data, via = 'http', headers, ifStreamPosition, ...attributes }: Sent = {}): IncomingEvent {
  const text = typeof data === 'string' ? data : JSON.stringify(data ?? task())
  return {
    via,
    attributes: {
      specversion: '1.0',
      id: `e-${(sentCount += 1)}`,
      source: 'urn:test:witness',
      type: 'a2a.response',
      workerid: 'w-1',
      operation: 'GetTask',
      ...(attributes as Record<string, string>),
    },
    data: data instanceof Uint8Array ? data : new TextEncoder().encode(text),
    ...(headers === undefined ? {} : { headers }),
    ...(ifStreamPosition === undefined ? {} : { ifStreamPosition }),
  }
}

/** A v1.0 task. */
export const task = (id = 't-1', state = 'TASK_STATE_WORKING', more: object = {}): object => ({
  id,
  contextId: 'c-1',
  status: { state },
  ...more,
})

/** A v1.0 send. */
export const message = (messageId: string, more: object = {}): object => ({
  message: { role: 'ROLE_USER', messageId, parts: [{ text: 'a' }], ...more },
})

/** The only outcome of an append of one. */
export async function appendOne({ ledger }: OpenLedger, event: IncomingEvent): Promise<AppendOutcome> {
  const [outcome] = await ledger.append([event])
  if (outcome === undefined) throw new Error('no outcome')
  return outcome
}
