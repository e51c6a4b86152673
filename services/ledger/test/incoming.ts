import type { IncomingEvent } from '../src/app/ports.ts'

export interface Sent extends Partial<Omit<IncomingEvent, 'attributes' | 'data'>> {
  readonly data?: unknown
  readonly [attribute: string]: unknown
}

let sentCount = 0

/** An event as an adapter hands it over: a GetTask answer about `t-1` of `w-1` unless told otherwise. */
export function incoming({ data, via = 'http', headers, ifStreamPosition, ...attributes }: Sent = {}): IncomingEvent {
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
    data: bytesOf(data ?? task(typeof attributes.taskid === 'string' ? attributes.taskid : 't-1')),
    ...(headers === undefined ? {} : { headers }),
    ...(ifStreamPosition === undefined ? {} : { ifStreamPosition }),
  }
}

const bytesOf = (data: unknown): Uint8Array =>
  data instanceof Uint8Array ? data : Buffer.from(typeof data === 'string' ? data : JSON.stringify(data))

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
