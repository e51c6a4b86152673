/**
 * What is told of a push that comes by: one event, as the ledger's own receiver records it.
 *
 * A delivery that comes again soon is the same event, with the time of the first.
 */
import { type Codec, rfc3339Of } from '@a2a-ledger/domain'
import type { WallClock, WitnessedEvent } from './ports.ts'
import type { Missed } from './recorder.ts'
import type { KeptBody } from './watch-call.ts'

export interface PushRecorderPorts {
  readonly source: string
  readonly record: (event: WitnessedEvent) => void
  readonly miss: (missed: Missed) => void
  readonly clock: WallClock
  readonly codec: Pick<Codec, 'sha256Hex'>
}

export interface WitnessedPush {
  readonly workerId: string
  readonly correlationId: string | undefined
  readonly contentType: string | undefined
  readonly traceparent: string | undefined
  readonly tracestate: string | undefined
}

/** Deliveries that are remembered: those that are tried again come back within seconds. */
const rememberedMax = 1_000

export function createPushRecorder({ source, record, miss, clock, codec }: PushRecorderPorts): (push: WitnessedPush, body: KeptBody) => void {
  const times = new Map<string, string>()
  return ({ workerId, correlationId, contentType, traceparent, tracestate }, body) => {
    if ('missing' in body) return miss({ workerId, reason: body.missing, byType: { 'a2a.stream-response': 1 } })
    const delivery = codec.sha256Hex(JSON.stringify([workerId, correlationId ?? null, codec.sha256Hex(body.bytes)]))
    const time = times.get(delivery) ?? rfc3339Of(clock())
    times.delete(delivery) // it is the newest now
    times.set(delivery, time)
    for (const oldest of times.keys()) {
      if (times.size <= rememberedMax) break
      times.delete(oldest)
    }
    const attributes = {
      specversion: '1.0' as const,
      id: `push-${delivery}-${time}`,
      source,
      type: 'a2a.stream-response',
      operation: 'Push',
      time,
      workerid: workerId,
      ...(correlationId !== undefined && { correlationid: correlationId }),
      ...(contentType !== undefined && { datacontenttype: contentType }),
      ...(traceparent !== undefined && { traceparent }),
      ...(tracestate !== undefined && { tracestate }),
    }
    record({ attributes, data: body.bytes })
  }
}
