/** Probes through the guard of outbound calls, with the ledger as journal and as witness of every call. */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { canaryCorrelationId, LedgerError, probeMomentEvent, type Codec, type EventAttributes, type ProbeStepData } from '@a2a-ledger/domain'
import { createOutbound } from '@a2a-ledger/outbound'
import { defaultPlan, runProbe, type ProbePorts, type PushReceiver, type WitnessedCall } from '@a2a-ledger/probe'
import type { FeedReader, LedgerClient, Prober } from '../../app/ports.ts'

export interface ProberOptions {
  readonly ledger: LedgerClient
  readonly feed: Pick<FeedReader, 'at'>
  readonly codec: Codec
  /** Blocks of addresses that may be called although they are not public. */
  readonly allowCidrs: readonly string[]
  /** This process, as other ones see it. */
  readonly owner: string
  /** Absent: nobody said where workers can push to, so whether pushes arrive cannot be told. */
  readonly push?: ProbePushes
}

/** Pushes of canaries go to the ledger's receiver, and are looked for among what it recorded. */
export interface ProbePushes {
  /** The receiver, as workers call it: `…/v1/push`. */
  readonly receiverUrl: string
  /** The same for every process, since the same message is sent twice. */
  readonly tokenOf: (probeId: string) => Promise<string>
  /** True when a push about that task was recorded under that correlation ID. */
  readonly hasCome: (correlationId: string, taskId: string) => Promise<boolean>
}

const pushPollMs = 100

/** Another process takes a step for dead soon after this, so it is shorter than a person at a terminal would wait. */
const stepMsMax = 20_000

export function createProber({ ledger, feed, codec, allowCidrs, owner, push }: ProberOptions): Prober {
  /**
   * An answer that was lost on its way, or another process that was first: what is recorded tells.
   * A moment is ours when it is the same in every member; a beginning names its owner.
   */
  const append = async (workerId: string, data: ProbeStepData) => {
    const outcome = await ledger.append(probeMomentEvent(workerId, data))
    if (outcome.outcome === 'recorded') return { position: outcome.position, atMs: Date.now() }
    if (outcome.outcome !== 'duplicate') throw new LedgerError('internal', `The ledger does not take a moment of a probe: ${outcome.outcome}.`)
    const [event] = await feed.at([outcome.position])
    const isOurs = event?.data !== undefined && JSON.stringify(JSON.parse(event.data)) === JSON.stringify(probeMomentEvent(workerId, data).data)
    return isOurs ? { position: outcome.position, atMs: event.recordedAtMs } : undefined
  }

  return {
    newId: randomUUID,
    planFor: (wanted) => ({ ...defaultPlan, stepMsMax, ...wanted, totalMsMax: defaultPlan.totalMsMax + wanted.retentionMs }),
    run: async ({ workerId, probeId, address, headers, plan, entries, restart }, stopping) => {
      const ports: ProbePorts = {
        openClient: () => {
          const { fetch, close } = createOutbound({ allowCidrs })
          return { fetch, close }
        },
        append: (data) => append(workerId, data),
        witness: (call) => observe(ledger, { workerId, probeId, call }),
        nowMs: Date.now,
        after: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
        newId: randomUUID,
        sha256Hex: codec.sha256Hex,
        ...(push !== undefined && { push: await receiverOf(push, workerId, probeId) }),
      }
      const subject = { cardUrl: address.cardUrl ?? address.url, headers, origins: [new URL(address.url).origin] }
      return runProbe({ probeId, subject, plan, entries, restart: () => restart, owner }, ports, stopping)
    },
  }
}

async function receiverOf({ receiverUrl, tokenOf, hasCome }: ProbePushes, workerId: string, probeId: string): Promise<PushReceiver> {
  const correlationId = canaryCorrelationId(probeId)
  return {
    url: `${receiverUrl.replace(/\/+$/, '')}/${encodeURIComponent(workerId)}/${encodeURIComponent(correlationId)}`,
    token: await tokenOf(probeId),
    arrived: async (taskId, withinMs) => {
      for (const untilMs = performance.now() + withinMs; !(await hasCome(correlationId, taskId)); ) {
        if (performance.now() > untilMs) return false
        await delay(pushPollMs)
      }
      return true
    },
  }
}

interface Told {
  readonly workerId: string
  readonly probeId: string
  readonly call: WitnessedCall
}

/** What a canary says and hears is recorded like anybody's, under a correlation ID that marks it as one. */
async function observe(ledger: LedgerClient, told: Told): Promise<void> {
  for (const { type, data, more } of eventsOf(told.call)) {
    await ledger.observe({ attributes: { ...attributesOf(told), type, ...more }, data })
  }
}

const attributesOf = ({ workerId, probeId, call }: Told) => ({
  specversion: '1.0' as const,
  id: randomUUID(),
  source: 'urn:a2a-ledger:probe',
  time: new Date().toISOString(),
  workerid: workerId,
  correlationid: canaryCorrelationId(probeId),
  operation: call.operation,
  ...(call.binding !== undefined && { binding: call.binding }),
  ...(call.protocolVersion !== undefined && { protocolversion: call.protocolVersion }),
  ...(call.taskId !== undefined && { taskid: call.taskId }),
  ...(call.messageId !== undefined && { messageid: call.messageId }),
  ...(call.believed !== undefined && { lastobserved: call.believed }),
})

interface Observation {
  readonly type: string
  readonly data: unknown
  readonly more?: Pick<EventAttributes, 'httpstatus' | 'streamid' | 'sequence'>
}

const eventsOf = ({ operation, request, answer }: WitnessedCall): readonly Observation[] => {
  const isCard = operation === 'GetAgentCard'
  switch (answer.kind) {
    case 'sent':
      return request === undefined ? [] : [{ type: 'a2a.dispatch', data: JSON.parse(request) as unknown }]
    case 'body': {
      // A page where a card may be is not a card of this worker.
      if (isCard && answer.status !== 200) return []
      const more = { httpstatus: String(answer.status) }
      return [{ type: isCard ? 'a2a.agent-card' : 'a2a.response', data: jsonOr(answer.body), more }]
    }
    case 'events': {
      const streamid = randomUUID()
      const events = answer.events.map((event, index) => ({
        type: 'a2a.stream-response',
        data: jsonOr(event),
        more: { httpstatus: String(answer.status), streamid, sequence: String(index + 1) },
      }))
      return answer.isEnded ? [...events, { type: 'a2a.stream-ended', data: { reason: 'closed' }, more: { streamid } }] : events
    }
    case 'none':
      return isCard ? [] : [{ type: 'a2a.no-answer', data: { reason: answer.reason } }]
  }
}

/** The structured mode has no other way to carry a page than as a text. */
const jsonOr = (body: string): unknown => {
  try {
    return JSON.parse(body) as unknown
  } catch (error) {
    if (error instanceof SyntaxError) return body
    throw error
  }
}
