/**
 * What the proxy costs, and that it loses nothing: calls with and without it in turn, callers that hang
 * up, a ledger that is away, a long stream.
 *
 * Direct and proxied calls alternate one by one, so that whatever the machine does meanwhile it does to
 * both. Afterwards every event that the calls made is counted in the ledger, together with the gaps.
 */
import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { startProxyStage, type ProxyStage } from './proxy-stage.ts'

export interface BenchPlan {
  /** With and without, each. */
  readonly calls: number
  readonly concurrency: number
  readonly hangUps: number
  readonly outageSeconds: number
  /** The outage lasts until so many calls were made in it, too. */
  readonly outageCallsMin?: number
  readonly streamSeconds: number
  /** For the environment of the proxy. */
  readonly spoolBytesMax?: number
  readonly say: (line: string) => void
}

export interface Distribution {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export interface BenchReport {
  readonly latencyMs: { readonly direct: Distribution; readonly proxied: Distribution; readonly added: { readonly p50: number; readonly p99: number } }
  readonly callsPerSecond: { readonly direct: number; readonly proxied: number; readonly ratio: number }
  readonly failedCalls: number
  readonly outage: { readonly calls: number; readonly failedCalls: number; readonly p50Ms: number; readonly p99Ms: number }
  readonly stream: { readonly frames: number; readonly recorded: number; readonly largestDelayMs: number }
  /** What the calls made, and where it is. */
  readonly events: { readonly expected: number; readonly recorded: number; readonly missing: number; readonly gaps: number }
}

export async function benchProxy(plan: BenchPlan): Promise<BenchReport> {
  const stage = await startProxyStage(plan.spoolBytesMax === undefined ? {} : { SPOOL_BYTES_MAX: String(plan.spoolBytesMax) })
  const agent = new Agent({ keepAlive: true, maxSockets: plan.concurrency })
  try {
    await untilKnown(stage)
    const send = sender(agent)
    for (let at = 0; at < 200; at += 1) await Promise.all([send(stage.workerUrl), send(stage.proxiedUrl)])
    await untilTold(stage)
    const before = await countsOf(stage)

    plan.say(`latency: ${plan.calls} calls with and without, in turn`)
    const latency = { direct: [] as number[], proxied: [] as number[] }
    let failed = 0
    for (let at = 0; at < plan.calls; at += 1) {
      const order = at % 2 === 0 ? (['direct', 'proxied'] as const) : (['proxied', 'direct'] as const)
      for (const way of order) {
        const took = await send(way === 'direct' ? stage.workerUrl : stage.proxiedUrl)
        if (took === undefined) failed += 1
        else latency[way].push(took)
      }
    }
    const [direct, proxied] = [distributionOf(latency.direct), distributionOf(latency.proxied)]

    plan.say(`throughput: ${plan.concurrency} at a time, in turn`)
    const rates = await ratesOf(plan, send, stage)
    failed += rates.failed

    plan.say(`${plan.hangUps} callers hang up`)
    for (let at = 0; at < plan.hangUps; at += 1) await hangUp(stage)

    plan.say(`the ledger is away for ${plan.outageSeconds} s`)
    const outage = await outageOf(plan, send, stage)

    plan.say(`a stream of ${plan.streamSeconds} s`)
    const stream = await streamOf(plan, stage)

    await untilTold(stage)
    const after = await countsOf(stage)
    const proxiedCalls = plan.calls + rates.proxiedCalls + outage.calls
    return {
      latencyMs: { direct, proxied, added: { p50: round(proxied.p50 - direct.p50), p99: round(proxied.p99 - direct.p99) } },
      callsPerSecond: { direct: round(rates.direct), proxied: round(rates.proxied), ratio: round(rates.proxied / rates.direct) },
      failedCalls: failed,
      outage: { calls: outage.calls, failedCalls: outage.failed, p50Ms: outage.latency.p50, p99Ms: outage.latency.p99 },
      stream: { frames: stream.frames, recorded: after.frames - before.frames - plan.hangUps, largestDelayMs: stream.largestDelayMs },
      events: {
        // A call: what was sent and its answer. A caller that hangs up: what was sent, one frame, the end.
        expected: 2 * proxiedCalls + 3 * plan.hangUps + 1 + stream.frames,
        recorded: after.recorded - before.recorded,
        missing: after.missing - before.missing,
        gaps: after.gaps - before.gaps,
      },
    }
  } finally {
    agent.destroy()
    await stage.remove()
  }
}

type Send = (url: string) => Promise<number | undefined>

let nextMessage = 0
/** `everyMs`: between the frames of a stream. */
const bodyOf = (method: string, frames?: number, everyMs = 1_000): string => {
  nextMessage += 1
  const message = { role: 'ROLE_USER', messageId: `bench-${nextMessage}`, parts: [{ text: 'x'.repeat(500) }], ...(frames !== undefined && { metadata: { frames, everyMs } }) }
  return JSON.stringify({ jsonrpc: '2.0', id: nextMessage, method, params: { message } })
}

/** Sends one message; resolves with milliseconds, `undefined` where it failed. */
const sender = (agent: Agent): Send => (url) =>
  new Promise((resolve) => {
    const body = bodyOf('SendMessage')
    const startedAtMs = performance.now()
    const call = httpRequest(url, { method: 'POST', agent, headers: { 'content-type': 'application/json', 'a2a-version': '1.0', 'content-length': Buffer.byteLength(body) } }, (response) => {
      response.resume()
      response.on('error', () => resolve(undefined))
      response.on('end', () => resolve(response.statusCode === 200 ? performance.now() - startedAtMs : undefined))
    })
    call.on('error', () => resolve(undefined))
    call.end(body)
  })

async function ratesOf({ calls, concurrency }: BenchPlan, send: Send, stage: ProxyStage) {
  const rounds = 10
  const inRound = Math.max(concurrency, Math.floor(calls / rounds))
  const took = { direct: 0, proxied: 0 }
  let failed = 0
  for (let round = 0; round < rounds; round += 1) {
    for (const way of ['direct', 'proxied'] as const) {
      let rest = inRound
      const startedAtMs = performance.now()
      const one = async (): Promise<void> => {
        while (rest > 0) {
          rest -= 1
          if ((await send(way === 'direct' ? stage.workerUrl : stage.proxiedUrl)) === undefined) failed += 1
        }
      }
      await Promise.all(Array.from({ length: concurrency }, one))
      took[way] += performance.now() - startedAtMs
    }
  }
  const total = rounds * inRound
  return { direct: (total / took.direct) * 1000, proxied: (total / took.proxied) * 1000, proxiedCalls: total, failed }
}

/** A caller that opens a stream and goes away after its first frame, long before there is another. */
async function hangUp({ proxiedUrl }: ProxyStage): Promise<void> {
  const call = httpRequest(proxiedUrl, { method: 'POST', headers: { 'content-type': 'application/json', 'a2a-version': '1.0' } })
  call.end(bodyOf('SendStreamingMessage', 2, 3_600_000))
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  await once(response, 'data')
  response.on('error', () => undefined)
  const closed = new Promise((resolve) => response.on('close', resolve))
  call.destroy()
  await closed
}

async function outageOf({ outageSeconds, outageCallsMin = 0 }: BenchPlan, send: Send, { ledger, proxiedUrl }: ProxyStage) {
  await ledger.kill()
  const latency: number[] = []
  let failed = 0
  const endsAtMs = performance.now() + outageSeconds * 1000
  while (performance.now() < endsAtMs || latency.length + failed < outageCallsMin) {
    const took = await send(proxiedUrl)
    if (took === undefined) failed += 1
    else latency.push(took)
    await delay(5)
  }
  await ledger.start()
  return { calls: latency.length + failed, failed, latency: distributionOf(latency) }
}

async function streamOf({ streamSeconds, say }: BenchPlan, { proxiedUrl }: ProxyStage) {
  const call = httpRequest(proxiedUrl, { method: 'POST', headers: { 'content-type': 'application/json', 'a2a-version': '1.0' } })
  call.end(bodyOf('SendStreamingMessage', streamSeconds))
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  let frames = 0
  let beforeMs = performance.now()
  let largestDelayMs = 0
  for await (const chunk of response) {
    const count = String(chunk).split('data: ').length - 1
    if (count === 0) continue
    frames += count
    const nowMs = performance.now()
    largestDelayMs = Math.max(largestDelayMs, nowMs - beforeMs - 1_000)
    beforeMs = nowMs
    if (frames % 60 === 0) say(`  ${frames} frames`)
  }
  return { frames, largestDelayMs: round(largestDelayMs) }
}

async function untilKnown({ proxiedUrl }: ProxyStage): Promise<void> {
  while ((await fetch(proxiedUrl, { method: 'POST', body: bodyOf('SendMessage') })).status !== 200) await delay(50)
}

/** Waits until nothing waits for the ledger any more. */
async function untilTold({ proxyUrl }: ProxyStage): Promise<void> {
  for (;;) {
    // One after the other: what a call told at its end is in the spool before it is no longer running.
    const metrics = await (await fetch(`${proxyUrl}/metrics`)).text()
    const { spool } = (await (await fetch(`${proxyUrl}/readyz`)).json()) as { spool: { entries: number } }
    if (spool.entries === 0 && /^a2a_ledger_proxy_calls_running 0$/m.test(metrics)) return
    await delay(100)
  }
}

async function countsOf({ query }: ProxyStage) {
  const [events] = await query<{ recorded: number; frames: number }>(
    `SELECT count(*)::int AS recorded, count(*) FILTER (WHERE attributes->>'type' = 'a2a.stream-response')::int AS frames
       FROM ledger.feed_v1 WHERE attributes->>'source' = 'urn:a2a-ledger:proxy'`,
  )
  const [gaps] = await query<{ gaps: number; missing: number }>(
    `SELECT count(*)::int AS gaps, coalesce(sum((convert_from(data, 'UTF8')::json->>'events')::int), 0)::int AS missing
       FROM ledger.feed_v1 WHERE attributes->>'type' = 'ledger.gap'`,
  )
  return { recorded: events?.recorded ?? 0, frames: events?.frames ?? 0, gaps: gaps?.gaps ?? 0, missing: gaps?.missing ?? 0 }
}

const round = (value: number): number => Math.round(value * 1000) / 1000

function distributionOf(values: readonly number[]): Distribution {
  const sorted = values.toSorted((left, right) => left - right)
  const at = (share: number): number => round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}
