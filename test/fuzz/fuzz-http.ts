/**
 * Damaged inputs over HTTP against an instance of its own: events in every mode, pushes, questions,
 * enrolments, queries. No answer is a 5xx, but for one that says to ask again since views are behind,
 * and that is done; what was acknowledged as recorded stands at its position, what was quarantined is in
 * quarantine, what was refused says why; in the end every task that came of it can be read.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { errorTable, quarantineReasons, type ErrorCode } from '@a2a-ledger/domain'
import fc from 'fast-check'
import { createInstance } from '../fault/instance.ts'
import { recordedBy } from '../fault/inspect-ledger.ts'
import { readCorpus } from './corpus.ts'
import { bytesOf } from './fold-case.ts'
import { fuzzCase, type FuzzCase, type FuzzInput } from './fuzz-case.ts'
import { fuzzQuestion, type FuzzQuestion } from './fuzz-question.ts'

export interface HttpPlan {
  readonly inputs: number
  readonly seed: number
  readonly say: (line: string) => void
}

export interface HttpReport {
  readonly seed: number
  readonly inputs: number
  readonly requests: number
  /** Answers by HTTP status. */
  readonly statuses: Readonly<Record<string, number>>
  /** How events ended. */
  readonly outcomes: Readonly<Record<string, number>>
  readonly slowestMs: number
  readonly head: number
  readonly tasks: number
  readonly workers: number
  readonly elapsedMs: number
  /** What did not hold, with the request that showed it; at most 20. */
  readonly problems: readonly string[]
}

interface Result {
  readonly source?: string
  readonly id?: string
  readonly outcome: string
  readonly position?: number
  readonly quarantineId?: string
  readonly reason?: string
  readonly problem?: { readonly code?: string; readonly detail?: string }
}

const lanes = 8
const casesPerBlock = 200
const lengthMax = 50_000
const problemsMax = 20
const minutesMax = 30

export const fuzzHttp = async ({ inputs: wanted, seed, say }: HttpPlan): Promise<HttpReport> => {
  const beganMs = Date.now()
  const instance = await createInstance({ GRACE_MS: '1000' })
  const http = createCounter()
  const recorded = new Map<number, string>()
  const quarantined = new Set<string>()
  const outcomes: Record<string, number> = {}
  let inputCount = 0

  const account = (result: Result, request: string): void => {
    const { outcome, position, quarantineId, reason, problem } = result
    const why = reason ?? problem?.code
    const name = why === undefined ? outcome : `${outcome}: ${why}`
    outcomes[name] = (outcomes[name] ?? 0) + 1
    const isExplained =
      outcome === 'recorded' || outcome === 'duplicate'
        ? position !== undefined
        : outcome === 'conflict'
          ? quarantineId !== undefined
          : outcome === 'quarantined'
            ? quarantineId !== undefined && Object.hasOwn(quarantineReasons, reason ?? '')
            : outcome === 'rejected' && Object.hasOwn(errorTable, problem?.code ?? '') && (problem?.detail ?? '') !== ''
    if (!isExplained) http.problem(`an event without an outcome that says why: ${JSON.stringify(result)}`, request)
    if (outcome === 'recorded' && position !== undefined) recorded.set(position, JSON.stringify([result.source, result.id]))
    if (quarantineId !== undefined) quarantined.add(quarantineId)
  }

  const sendEvents = async (inputs: FuzzCase, isBatched: boolean): Promise<void> => {
    const batched = isBatched ? inputs.filter(isJsonText) : []
    if (batched.length > 0) {
      const body = bytesJoined(batched.map(bytesOf))
      await sendBody(body, { 'content-type': 'application/cloudevents-batch+json' }, batched.length)
    }
    for (const input of inputs.filter((each) => !batched.includes(each))) {
      const headers = input.mode === 'structured' ? { 'content-type': 'application/cloudevents+json' } : input.headers
      await sendBody(bytesOf(input), headers, 1)
    }
  }
  const sendBody = async (body: Uint8Array<ArrayBuffer>, headers: Readonly<Record<string, string>>, count: number): Promise<void> => {
    const { status, json, request } = await http.call(`${instance.ledgerUrl}/v1/events`, { method: 'POST', headers, body })
    const { results } = (json ?? {}) as { readonly results?: readonly Result[] }
    if (status === 200 && results?.length === count) for (const result of results) account(result, request)
    else if (status >= 400 && status < 500) account({ outcome: 'rejected', problem: json as NonNullable<Result['problem']> }, request)
    else http.problem(`HTTP ${status} with ${results?.length} results for ${count} events`, request)
  }

  const ask = async ({ service, method, path, body }: FuzzQuestion): Promise<void> => {
    const url = `${service === 'ledger' ? instance.ledgerUrl : instance.reconcilerUrl}${path}`
    const init = body === undefined ? { method } : { method, body, headers: { 'content-type': 'application/json' } }
    const { status, json, request } = await http.call(url, init)
    if (status < 400) return
    const { code } = (json ?? {}) as { readonly code?: string }
    if (code === undefined || !Object.hasOwn(errorTable, code)) http.problem(`HTTP ${status} without a reason`, request)
  }

  try {
    await instance.start()
    const corpus = readCorpus()
    const cases = fc.record({
      inputs: fuzzCase(corpus, lengthMax),
      isBatched: fc.boolean(),
      question: fc.option(fuzzQuestion(corpus, lengthMax), { freq: 2 }),
    })
    for (let block = 0; inputCount < wanted; block += 1) {
      const blockSeed = (seed + block * 1_000_003) % 2 ** 31
      const todo = fc.sample(cases, { seed: blockSeed, numRuns: casesPerBlock }).map((each, index) => ({ each, salt: `${block}-${index}` }))
      await inLanes(todo, async ({ each: { inputs, isBatched, question }, salt }) => {
        if (inputCount >= wanted) return
        inputCount += inputs.length + (question === null ? 0 : 1)
        await sendEvents(inputs.map((input) => salted(input, salt)), isBatched)
        if (question !== null) await ask(salted(question, salt))
      })
      say(`${inputCount} inputs sent`)
    }
    const kept = await recordedBy(instance.ledgerUrl)
    const names = new Map(kept.map(({ position, source, id }) => [position, JSON.stringify([source, id])]))
    for (const [position, name] of recorded) {
      if (names.get(position) !== name) http.problem(`${name} was recorded at ${position}; there stands ${names.get(position)}`, '')
    }
    if (kept.some(({ position }, index) => position !== index + 1)) http.problem('positions are not dense', '')
    const inQuarantine = await quarantineOf(instance.ledgerUrl, http)
    for (const id of quarantined) if (!inQuarantine.has(id)) http.problem(`quarantine has no ${id}`, '')
    say(`${kept.length} events recorded, ${inQuarantine.size} in quarantine; reading what came of them`)
    await untilApplied(instance.reconcilerUrl, kept.length)
    const tasks = await readTasks(instance.reconcilerUrl, http)
    const workers = await readWorkers(instance.reconcilerUrl, http)
    const { requests, statuses, slowestMs, problems } = http.counted()
    return { seed, inputs: inputCount, requests, statuses, outcomes, slowestMs, head: kept.length, tasks, workers, elapsedMs: Date.now() - beganMs, problems }
  } finally {
    await instance.remove()
  }
}

/** Not being caught up yet is a 503 or 504 by contract, so this waiting is not counted. */
const untilApplied = async (reconcilerUrl: string, head: number): Promise<void> => {
  for (let minute = 0; minute < minutesMax; minute += 1) {
    const { status } = await fetch(`${reconcilerUrl}/v1/tasks?atLeast=${head}&timeoutMs=60000&limit=1`)
    if (status === 200) return
  }
  throw new Error(`the reconciler did not apply position ${head} in ${minutesMax} minutes`)
}

/** Every task: its view, its root cause, its timeline and what its artifacts hold. Answers how many. */
const readTasks = async (reconcilerUrl: string, http: Counter): Promise<number> => {
  const ids: string[] = []
  for await (const page of pagesOf<{ readonly correlationId: string }>(`${reconcilerUrl}/v1/tasks?`, 'tasks', http)) {
    ids.push(...page.map(({ correlationId }) => correlationId))
  }
  await inLanes(ids, async (id) => {
    const url = `${reconcilerUrl}/v1/tasks/${encodeURIComponent(id)}`
    const { status, json, request } = await http.call(url)
    const view = json as { readonly incomplete?: unknown; readonly artifacts?: readonly { readonly key: string }[] }
    if (status !== 200) http.problem(`HTTP ${status} for a task that is listed`, request)
    else if (view.incomplete !== undefined) http.problem(`events that were recorded cannot be folded: ${JSON.stringify(view.incomplete)}`, request)
    for (const part of ['root-cause', 'timeline']) {
      const answer = await http.call(`${url}/${part}`)
      if (answer.status !== 200) http.problem(`HTTP ${answer.status} for the ${part} of a task that is there`, answer.request)
    }
    for (const { key } of view.artifacts?.slice(0, 2) ?? []) await http.call(`${url}/artifacts/${encodeURIComponent(key)}/content`)
  })
  return ids.length
}

const readWorkers = async (reconcilerUrl: string, http: Counter): Promise<number> => {
  const ids: string[] = []
  for await (const page of pagesOf<{ readonly workerId: string }>(`${reconcilerUrl}/v1/workers?`, 'workers', http)) {
    ids.push(...page.map(({ workerId }) => workerId))
  }
  await inLanes(ids, async (id) => {
    const { status, request } = await http.call(`${reconcilerUrl}/v1/workers/${encodeURIComponent(id)}`)
    if (status !== 200) http.problem(`HTTP ${status} for a worker that is listed`, request)
  })
  return ids.length
}

const quarantineOf = async (ledgerUrl: string, http: Counter): Promise<ReadonlySet<string>> => {
  const ids = new Set<string>()
  for await (const page of pagesOf<{ readonly id: string }>(`${ledgerUrl}/v1/quarantine?`, 'entries', http)) {
    for (const { id } of page) ids.add(id)
  }
  return ids
}

async function* pagesOf<Entry>(url: string, list: string, http: Counter): AsyncGenerator<readonly Entry[]> {
  let after = ''
  for (;;) {
    const { status, json, request } = await http.call(`${url}&limit=100${after}`)
    if (status !== 200) {
      http.problem(`HTTP ${status} for a page`, request)
      return
    }
    const page = json as { readonly next: string | number | null } & Readonly<Record<string, readonly Entry[]>>
    yield page[list] ?? []
    if (page.next === null) return
    after = `&after=${page.next}`
  }
}

interface Init {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
}

interface Counter {
  readonly call: (url: string, init?: Init) => Promise<{ readonly status: number; readonly json: unknown; readonly request: string }>
  readonly problem: (what: string, request: string) => void
  readonly counted: () => Pick<HttpReport, 'requests' | 'statuses' | 'slowestMs' | 'problems'>
}

/** How long one request may be told to ask again. */
const catchUpMsMax = 300_000
const askAgainMs = 100

/** The views are behind what the other lanes recorded; by contract that is a 504, and the same is asked again. */
const isNotCaughtUp = (json: unknown): boolean =>
  typeof json === 'object' && json !== null && 'code' in json && json.code === ('not_caught_up' satisfies ErrorCode)

/** Calls, and holds every answer to what must be true of any: no 5xx. */
const createCounter = (): Counter => {
  const statuses: Record<string, number> = {}
  const problems: string[] = []
  let [requests, slowestMs] = [0, 0]
  const problem = (what: string, request: string): void => {
    if (problems.length < problemsMax) problems.push(`${what}\n  ${request}`)
  }
  return {
    problem,
    counted: () => ({ requests, statuses, slowestMs: Math.round(slowestMs), problems }),
    call: async (url, init = {}) => {
      const request = describe(url, init)
      for (const untilMs = performance.now() + catchUpMsMax; ; ) {
        const sentMs = performance.now()
        const response = await fetch(url, { redirect: 'manual', ...init })
        const text = await response.text()
        const json = parsed(text)
        requests += 1
        slowestMs = Math.max(slowestMs, performance.now() - sentMs)
        statuses[response.status] = (statuses[response.status] ?? 0) + 1
        if (isNotCaughtUp(json) && performance.now() < untilMs) {
          await delay(askAgainMs)
          continue
        }
        if (response.status >= 500) problem(`HTTP ${response.status}: ${text.slice(0, 500)}`, request)
        return { status: response.status, json, request }
      }
    },
  }
}

/** Enough to send it again. */
const describe = (url: string, { method = 'GET', headers = {}, body = '' }: Init): string =>
  `${method} ${url} ${JSON.stringify(headers)} ${Buffer.from(body).toString('utf8').slice(0, 4_000)}`

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isJsonText = (input: FuzzInput): boolean => input.mode === 'structured' && parsed(Buffer.from(bytesOf(input)).toString('utf8')) !== undefined

const bytesJoined = (bodies: readonly Uint8Array[]): Uint8Array<ArrayBuffer> =>
  Buffer.concat([Buffer.from('['), ...bodies.flatMap((body, index) => (index === 0 ? [body] : [Buffer.from(','), body])), Buffer.from(']')])

/** Ids of one case are its own: cases are sent side by side, and a stream of everything is no task. */
const salted = <Value>(value: Value, salt: string): Value =>
  JSON.parse(JSON.stringify(value).replaceAll('fuzz-', `fuzz-${salt}-`).replaceAll('urn:fuzz:', `urn:fuzz:${salt}:`)) as Value

/** Some at once, each in its turn. */
const inLanes = async <Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> => {
  const waiting = items.values()
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (const item of waiting) await work(item)
    }),
  )
}
