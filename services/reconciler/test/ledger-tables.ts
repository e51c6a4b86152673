/** Events put into the ledger's tables behind its back: what the feed shows, without the ledger running. */
import { createHash } from 'node:crypto'
import type pg from 'pg'

export interface TestEvent {
  readonly type: string
  readonly correlationId: string
  readonly data: unknown
  readonly [attribute: string]: unknown
}

/** Appends `events` after the last one and answers the last position. */
export async function appendEvents(admin: pg.ClientBase, events: readonly TestEvent[]): Promise<number> {
  const { rows } = await admin.query<{ head: string | null }>('SELECT max(position) AS head FROM ledger.events')
  let position = Number(rows[0]?.head ?? 0)
  for (const { correlationId, data, ...attributes } of events) {
    position += 1
    const all = { specversion: '1.0', id: `event-${position}`, source: 'urn:test', ...attributes }
    const bytes = Buffer.from(typeof data === 'string' ? data : JSON.stringify(data))
    await admin.query(
      `INSERT INTO ledger.events (position, recorded_at, tenant, event_type, attributes, correlation_id,
                                  correlation_hash, rung, canonical, payload_position)
       VALUES ($1, clock_timestamp(), '', $2, $3, $4, $5, 'explicit', '{}', $1)`,
      [position, attributes.type, JSON.stringify(all), correlationId, hash(correlationId)],
    )
    await admin.query('INSERT INTO ledger.payloads (position, digest, data) VALUES ($1, $2, $3)', [position, hash(bytes), bytes])
  }
  return position
}

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

export const enrolled = (workerId: string, policy: object): TestEvent => ({
  type: 'reconciler.worker-enrolled',
  correlationId: `~${workerId}`,
  workerid: workerId,
  data: policy,
})
