/** Events put into the ledger's tables behind its back: what the feed shows, without the ledger running. */
import { createHash } from 'node:crypto'
import { createCorrelationKeys } from '@a2a-ledger/domain'
import { nodeCodec } from '@a2a-ledger/service-kit/codec'
import type pg from 'pg'

export interface TestEvent {
  readonly type: string
  readonly correlationId: string
  readonly data: unknown
  readonly [attribute: string]: unknown
}

/** Calls come one after the other, as appends of a ledger do. */
export function inTurn<Values extends readonly unknown[], Result>(work: (...values: Values) => Promise<Result>): (...values: Values) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return (...values) => {
    const result = last.then(() => work(...values))
    last = result.catch(() => undefined)
    return result
  }
}

/** Appends `events` after the last one and answers the last position. */
export async function appendEvents(admin: pg.ClientBase, events: readonly TestEvent[]): Promise<number> {
  const { rows } = await admin.query<{ head: string | null }>('SELECT max(position) AS head FROM ledger.events')
  const before = Number(rows[0]?.head ?? 0)
  const written = events.map(({ correlationId, data, ...attributes }, index) => {
    const position = before + 1 + index
    const bytes = Buffer.from(typeof data === 'string' ? data : JSON.stringify(data))
    const all = { specversion: '1.0', id: `event-${position}`, source: 'urn:test', ...attributes }
    return { position, type: attributes.type, attributes: JSON.stringify(all), correlationId, hash: Buffer.from(keys.correlation(correlationId), 'hex'), digest: hash(bytes), bytes }
  })
  const column = <Name extends keyof (typeof written)[number]>(name: Name) => written.map((event) => event[name])
  // In one statement: whoever reads an event finds its bytes.
  await admin.query(
    `WITH written AS (
       SELECT * FROM unnest($1::bigint[], $2::text[], $3::json[], $4::text[], $5::bytea[], $6::bytea[], $7::bytea[])
         AS event (position, event_type, attributes, correlation_id, correlation_hash, digest, data)),
     payload AS (INSERT INTO ledger.payloads (position, digest, data) SELECT position, digest, data FROM written)
     INSERT INTO ledger.events (position, recorded_at, tenant, event_type, attributes, correlation_id,
                                correlation_hash, rung, canonical, payload_position)
     SELECT position, clock_timestamp(), '', event_type, attributes, correlation_id, correlation_hash, 'explicit', '{}', position
       FROM written ORDER BY position`,
    [column('position'), column('type'), column('attributes'), column('correlationId'), column('hash'), column('digest'), column('bytes')],
  )
  return before + written.length
}

const keys = createCorrelationKeys(nodeCodec)
const hash = (content: string | Buffer): Buffer => createHash('sha256').update(content).digest()

/** One task at one worker, seen `polls` times. */
export const seenTask = (correlationId: string, polls: number, state = 'TASK_STATE_WORKING'): readonly TestEvent[] =>
  Array.from({ length: polls }, () => ({
    type: 'a2a.response',
    correlationId,
    correlationid: correlationId,
    operation: 'GetTask',
    workerid: 'w1',
    taskid: `${correlationId}-t`,
    data: { result: { id: `${correlationId}-t`, contextId: 'c', status: { state } } },
  }))

/** So many seconds after a moment an hour ago: what happened then is not waited for. */
export const hourAgo = (seconds: number): string => new Date(Date.now() - 3_600_000 + seconds * 1_000).toISOString()

/** A task that was seen once, and not found later. */
export const lost = (correlationId: string): readonly TestEvent[] => [
  ...seenTask(correlationId, 1).map((event) => ({ ...event, time: hourAgo(1) })),
  {
    type: 'a2a.error', correlationId, correlationid: correlationId, operation: 'GetTask', workerid: 'w1', taskid: `${correlationId}-t`,
    time: hourAgo(10), data: { code: -32001, message: 'Task not found' },
  },
]

export const enrolled = (workerId: string, policy: object): TestEvent => ({
  type: 'reconciler.worker-enrolled',
  correlationId: `~${workerId}`,
  workerid: workerId,
  data: policy,
})
