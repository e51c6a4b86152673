/** What the HTTP edge does by itself, over real HTTP, in front of a ledger that only remembers. */
import { createHash } from 'node:crypto'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { testCodec } from '@a2a-ledger/domain/testing'
import { LedgerError } from '@a2a-ledger/domain'
import { problemSchema } from '@a2a-ledger/service-kit/http'
import { pino } from 'pino'
import { afterEach, describe, expect, test } from 'vitest'
import type { IncomingEvent, KafkaHealth, Ledger, LedgerReader, QuarantineInput, RecordedEvent } from '../../app/ports.ts'
import { eventPageSchema, recordedEventSchema, resultsSchema } from './schemas.ts'
import { createHttpServer } from './server.ts'

interface Fake {
  readonly url: string
  readonly appended: IncomingEvent[]
  readonly quarantined: QuarantineInput[]
  readonly recorded: RecordedEvent[]
  readonly logged: string[]
  readonly reads: number[]
  failure: Error | undefined
  kafka: KafkaHealth | undefined
  isTrusted: (push: Parameters<Ledger['isPushTrusted']>[0]) => boolean
  /** What becomes of what is appended. */
  outcome: 'recorded' | 'duplicate'
  readonly repeats: string[]
  /** Resolves before an append answers. */
  gate: Promise<void>
}

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()))
})

async function start(ingestBytesInFlightMax = 64 * 1024 * 1024): Promise<Fake> {
  const fake: Fake = {
    url: '',
    appended: [],
    quarantined: [],
    recorded: [],
    logged: [],
    reads: [],
    failure: undefined,
    kafka: undefined,
    isTrusted: () => true,
    outcome: 'recorded',
    repeats: [],
    gate: Promise.resolve(),
  }
  const failing = () => {
    if (fake.failure !== undefined) throw fake.failure
  }
  const ledger: Ledger = {
    append: async (events) => {
      failing()
      await fake.gate
      fake.appended.push(...events)
      return events.map((_, at) => ({ outcome: fake.outcome, position: at + 1, correlationId: 'k' }))
    },
    quarantine: async (input) => {
      fake.quarantined.push(input)
      return { quarantineId: 'q-1' }
    },
    replay: async () => undefined,
    isPushTrusted: async (push) => fake.isTrusted(push),
    countPushRepeat: async (workerId) => {
      if (workerId === 'uncountable') throw new LedgerError('store_unavailable', 'away')
      fake.repeats.push(workerId)
    },
  }
  const reader: LedgerReader = {
    events: async (_filter, after, limit) => {
      failing()
      fake.reads.push(limit)
      return fake.recorded.filter((event) => event.position > after).slice(0, limit)
    },
    event: async (position) => fake.recorded.find((event) => event.position === position),
    quarantined: async () => [],
    quarantinedInput: async () => undefined,
    identity: async () => {
      failing()
      return { ledgerId: 'l', epoch: 1, head: fake.recorded.length }
    },
    internalToken: async () => 'inner-secret',
    durability: async () => 'local',
  }
  const logger = pino({ level: 'trace' }, { write: (line: string) => void fake.logged.push(line) })
  const { app } = await createHttpServer({ ledger, reader, codec: testCodec, logger, ingestBytesInFlightMax, kafkaHealth: () => fake.kafka })
  closers.push(() => app.close())
  await app.listen({ port: 0, host: '127.0.0.1' })
  return Object.assign(fake, { url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}` })
}

const structured = { 'content-type': 'application/cloudevents+json' }
const batch = { 'content-type': 'application/cloudevents-batch+json' }
const binary = {
  'ce-specversion': '1.0',
  'ce-id': 'e-1',
  'ce-source': 'urn:test',
  'ce-type': 'a2a.task',
  'ce-workerid': 'w',
}
const event = (id: string): string =>
  `{"specversion":"1.0","id":"${id}","source":"urn:test","type":"a2a.task","workerid":"w","data":{ "a" : 1 }}`

const post = (
  fake: Fake,
  path: string,
  headers: Record<string, string>,
  body?: string | Uint8Array<ArrayBuffer>,
): Promise<Response> =>
  fetch(`${fake.url}${path}`, { method: 'POST', headers, ...(body === undefined ? {} : { body }) })

async function problemOf(response: Response) {
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/)
  const problem = problemSchema.parse(await response.json())
  expect(problem.status).toBe(response.status)
  expect(problem.type).toBe(`urn:a2a-ledger:error:${problem.code}`)
  return problem
}

const recordedEvent = (position: number, data: string | Uint8Array | undefined): RecordedEvent => {
  const bytes = typeof data === 'string' ? testCodec.utf8Encode(data) : data
  return {
    position,
    recordedAtMs: Date.UTC(2026, 10, 1),
    attributes: { specversion: '1.0', id: `e-${position}`, source: 'urn:test', type: 'a2a.task' },
    correlationId: 'k',
    rung: 'explicit',
    derivedFrom: undefined,
    canonical: { kind: 'task' },
    data: bytes,
    digest: bytes && `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
  }
}

describe('POST /v1/events refuses', () => {
  test.each<[string, Record<string, string>, string | undefined, number, string, string]>([
    ['a body without a content type', {}, undefined, 415, 'content_type_unsupported', 'application/cloudevents+json'],
    ['plain JSON without ce- headers', { 'content-type': 'application/json' }, '{}', 415, 'content_type_unsupported', 'ce-'],
    ['another format of CloudEvents', { 'content-type': 'application/cloudevents+avro', ...binary }, 'x', 415, 'content_type_unsupported', 'application/cloudevents+json'],
    ['another charset', { 'content-type': 'application/cloudevents+json; charset=latin1' }, event('e'), 415, 'content_type_unsupported', 'UTF-8'],
    ['a compressed body', { ...structured, 'content-encoding': 'gzip' }, event('e'), 415, 'content_type_unsupported', 'Content-Encoding'],
    ['an empty body', structured, '', 400, 'body_malformed', 'empty'],
    ['an empty batch body', batch, '', 400, 'body_malformed', 'empty'],
    ['what is not JSON', structured, 'hello', 400, 'body_malformed', 'not JSON'],
    ['a batch that is not JSON', batch, '[{]', 400, 'body_malformed', 'not JSON'],
    ['a batch as one event', structured, `[${event('e')}]`, 400, 'envelope_invalid', 'batch'],
    ['one event as a batch', batch, event('e'), 400, 'envelope_invalid', 'application/cloudevents+json'],
    ['an event without an id', structured, '{"specversion":"1.0","source":"s","type":"t"}', 400, 'envelope_invalid', 'id is missing'],
    ['a binary event without a source', { ...binary, 'ce-source': '' }, '{}', 400, 'envelope_invalid', 'source is empty'],
    ['1,001 events', batch, `[${Array.from({ length: 1001 }, (_, at) => event(`e-${at}`)).join(',')}]`, 413, 'batch_too_large', '1000'],
    ['9 MiB', structured, ' '.repeat(9 * 1024 * 1024), 413, 'body_too_large', '8 MiB'],
  ])('%s', async (_, headers, body, status, code, detail) => {
    const fake = await start()
    const response = await post(fake, '/v1/events', headers, body)
    expect(response.status).toBe(status)
    expect(await problemOf(response)).toMatchObject({ code, detail: expect.stringContaining(detail) })
    expect(fake.appended).toEqual([])
  })

  test('bytes that are not UTF-8', async () => {
    const fake = await start()
    const body = Uint8Array.from([...Buffer.from(event('e')), 0xff])
    const response = await post(fake, '/v1/events', structured, body)
    expect(await problemOf(response)).toMatchObject({ status: 400, code: 'body_malformed' })
  })
})

describe('POST /v1/events hands on', () => {
  test('the bytes of a structured event as they stood', async () => {
    const fake = await start()
    const response = await post(fake, '/v1/events', structured, event('e-1'))
    expect(resultsSchema.parse(await response.json())).toEqual({
      results: [{ source: 'urn:test', id: 'e-1', outcome: 'recorded', position: 1, correlationId: 'k' }],
    })
    expect(Buffer.from(fake.appended[0]?.data ?? []).toString()).toBe('{ "a" : 1 }')
  })

  test('the body of a binary event, whatever it is', async () => {
    const fake = await start()
    const body = Uint8Array.from([0, 255, 10])
    await post(fake, '/v1/events', { ...binary, 'content-type': 'application/octet-stream' }, body)
    expect(Buffer.from(fake.appended[0]?.data ?? [])).toEqual(Buffer.from(body))
    expect(fake.appended[0]?.attributes.datacontenttype).toBe('application/octet-stream')
  })

  test('an id of 1,024 characters of four bytes in a header', async () => {
    const fake = await start()
    const id = '😀'.repeat(1024)
    const response = await post(fake, '/v1/events', { ...binary, 'ce-id': encodeURIComponent(id) }, '{}')
    expect(response.status).toBe(200)
    expect(fake.appended[0]?.attributes.id).toBe(id)
  })

  test('the good events of a batch, and answers in the order of input', async () => {
    const fake = await start()
    const response = await post(fake, '/v1/events', batch, `[${event('a')},{"id":"b"},7,${event('c')}]`)
    const { results } = resultsSchema.parse(await response.json())
    expect(results.map(({ id, outcome }) => [id, outcome])).toEqual([
      ['a', 'recorded'],
      ['b', 'rejected'],
      [undefined, 'rejected'],
      ['c', 'recorded'],
    ])
    expect(fake.appended.map(({ attributes }) => attributes.id)).toEqual(['a', 'c'])
  })

  test('nothing of an empty batch', async () => {
    const fake = await start()
    expect(await (await post(fake, '/v1/events', batch, '[]')).json()).toEqual({ results: [] })
  })

  test('headers for quarantine, secrets overwritten', async () => {
    const fake = await start()
    await post(fake, '/v1/events', { ...structured, authorization: 'Bearer s3cret', cookie: 'a=b' }, event('e'))
    expect(fake.appended[0]?.headers).toMatchObject({
      authorization: '*'.repeat(13),
      cookie: '***',
      'content-type': structured['content-type'],
    })
  })
})

describe('an outage', () => {
  test.each([
    ['overloaded', 503],
    ['store_unavailable', 503],
    ['outcome_unknown', 503],
  ] as const)('%s answers %i with Retry-After', async (code, status) => {
    const fake = await start()
    fake.failure = new LedgerError(code, 'Try again.')
    const response = await post(fake, '/v1/events', structured, event('e'))
    expect(response.status).toBe(status)
    expect(response.headers.get('retry-after')).toBe('1')
    expect(await problemOf(response)).toMatchObject({ code, detail: 'Try again.' })
  })

  test('an unexpected error tells the caller nothing but where to look', async () => {
    const fake = await start()
    fake.failure = new Error('relation "secret_table" does not exist')
    const response = await post(fake, '/v1/events', structured, event('e'))
    const problem = await problemOf(response)
    expect(problem).toMatchObject({ status: 500, code: 'internal' })
    expect(JSON.stringify(problem)).not.toContain('secret_table')
    expect(fake.logged.join('')).toContain(response.headers.get('x-request-id') ?? 'no id')
  })

  test('GET /readyz is 503 while the store does not answer, GET /healthz is not', async () => {
    const fake = await start()
    fake.failure = new Error('connect ECONNREFUSED')
    expect(await problemOf(await fetch(`${fake.url}/readyz`))).toMatchObject({ code: 'store_unavailable' })
    expect(await (await fetch(`${fake.url}/healthz`)).json()).toEqual({ status: 'ok' })
    fake.failure = undefined
    expect(await (await fetch(`${fake.url}/readyz`)).json()).toEqual({
      ready: true,
      ledgerId: 'l',
      epoch: 1,
      head: 0,
      durability: 'local',
    })
  })

  test('L7: GET /readyz is 503 with the reason when the log became shorter', async () => {
    const fake = await start()
    fake.failure = new LedgerError('ledger_rewound', 'Position 9 was recorded and is not there.')
    expect(await problemOf(await fetch(`${fake.url}/readyz`))).toMatchObject({ code: 'ledger_rewound', status: 503, detail: 'Position 9 was recorded and is not there.' })
  })

  test('GET /readyz says how Kafka is, and is 503 while the feed must not go on', async () => {
    const fake = await start()
    const ingest = { status: 'blocked', detail: 'Postgres does not answer.' }
    const relay = { status: 'leading', position: 7 }
    fake.kafka = { ingest, relay, problems: [] }
    expect(await (await fetch(`${fake.url}/readyz`)).json()).toMatchObject({ ready: true, kafka: { ingest, relay } })
    expect(await (await fetch(`${fake.url}/metrics`)).text()).toContain('a2a_ledger_relay_position 7')
    fake.kafka = { ingest, relay: { status: 'refused', position: 7 }, problems: ['The topic was deleted.'] }
    expect(await problemOf(await fetch(`${fake.url}/readyz`))).toMatchObject({ code: 'ledger_rewound', status: 503, detail: 'The topic was deleted.' })
  })
})

test('bodies beyond the bound are refused before they are read, and room comes back', async () => {
  const fake = await start(8 * 1024 * 1024)
  let open = (): void => undefined
  fake.gate = new Promise((resolve) => {
    open = resolve
  })
  const big = event('big').replace('1 }', `"${'x'.repeat(6 * 1024 * 1024)}" }`)
  const first = post(fake, '/v1/events', structured, big)
  await expect.poll(async () => (await fetch(`${fake.url}/metrics`)).text()).toMatch(
    /a2a_ledger_http_body_bytes_in_flight [1-9]/,
  )
  const refused = await post(fake, '/v1/events', structured, big)
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(await problemOf(refused)).toMatchObject({ status: 503, code: 'overloaded' })
  open()
  expect((await first).status).toBe(200)
  await expect.poll(async () => (await post(fake, '/v1/events', structured, big)).status).toBe(200)
})

describe('POST /v1/gaps', () => {
  const json = { 'content-type': 'application/json' }
  const gap = {
    id: 'g-1', workerId: 'w/1', witness: 'urn:test', reason: 'spool_full', from: '2026-03-01T10:00:00Z', to: '2026-03-01T10:00:30Z',
    events: 3, byType: { 'a2a.dispatch': 1, 'a2a.response': 2 }, isExact: true,
  }

  test('makes an event of each, in the stream of its worker, that nobody else can make', async () => {
    const fake = await start()
    const answer = await post(fake, '/v1/gaps', json, JSON.stringify({ gaps: [gap, { ...gap, id: 'g-2' }, { ...gap, witness: 'urn:other' }] }))
    expect(answer.status).toBe(200)
    expect(resultsSchema.parse(await answer.json()).results).toHaveLength(3)
    const { id: _id, workerId: _workerId, ...data } = gap
    expect(fake.appended[0]).toMatchObject({
      via: 'internal',
      attributes: { type: 'ledger.gap', source: 'urn:a2a-ledger:ledger', workerid: 'w/1', correlationid: '~w%2F1', time: gap.to },
    })
    expect(JSON.parse(testCodec.utf8Decode(fake.appended[0]?.data ?? new Uint8Array()) ?? '')).toEqual(data)
    expect(new Set(fake.appended.map(({ attributes }) => attributes.id)).size).toBe(3)
  })

  test.each([
    ['another sum', { ...gap, events: 4 }, /`gaps\[0\].events` is not the sum/],
    ['a reason that there is not', { ...gap, reason: 'tired' }, /`gaps\[0\].reason` is not known; send one of spool_full/],
    ['no worker', { ...gap, workerId: '' }, /`gaps\[0\].workerId` is empty/],
    ['a time that is none', { ...gap, from: 'yesterday' }, /`gaps\[0\].from` is not an RFC 3339/],
    ['a negative count', { ...gap, events: -1, byType: { 'a2a.task': -1 } }, /byType/],
  ])('refuses %s', async (_fact, bad, detail) => {
    const fake = await start()
    const problem = await problemOf(await post(fake, '/v1/gaps', json, JSON.stringify({ gaps: [bad] })))
    expect(problem).toMatchObject({ status: 400, code: 'parameter_invalid' })
    expect(problem.detail).toMatch(detail)
    expect(fake.appended).toEqual([])
  })

  test.each([['no JSON', '{'], ['nothing', ''], ['bytes that are no text', new Uint8Array([0xff])]])('refuses %s', async (_fact, body) => {
    const fake = await start()
    expect(await problemOf(await post(fake, '/v1/gaps', json, body))).toMatchObject({ status: 400, code: 'body_malformed' })
  })
})

describe('POST /v1/push', () => {
  const body = '{"statusUpdate":{"taskId":"t-1","contextId":"c-1","status":{"state":"TASK_STATE_WORKING"}}}'

  test('answers 204 and hands on an event whose id is a hash of worker, correlation and body', async () => {
    const fake = await start()
    for (const path of ['/v1/push/w', '/v1/push/w', '/v1/push/w/k', '/v1/push/w%2Fk']) {
      const response = await post(fake, path, { 'content-type': 'application/json' }, body)
      expect([response.status, await response.text()]).toEqual([204, ''])
    }
    const [first, again, correlated, other] = fake.appended.map(({ attributes }) => attributes)
    expect(first).toEqual({
      specversion: '1.0',
      id: expect.stringMatching(/^[0-9a-f]{64}$/),
      source: 'urn:a2a-ledger:push',
      type: 'a2a.stream-response',
      operation: 'Push',
      workerid: 'w',
      datacontenttype: 'application/json',
    })
    expect(again).toEqual(first)
    expect(correlated).toMatchObject({ workerid: 'w', correlationid: 'k' })
    expect(other).toMatchObject({ workerid: 'w/k' })
    expect(new Set([first?.id, correlated?.id, other?.id]).size).toBe(3)
  })

  test.each<[string, Record<string, string>, readonly string[]]>([
    ['no header', {}, []],
    ['X-A2A-Notification-Token', { 'x-a2a-notification-token': 'tok' }, ['tok']],
    ['A2A-Notification-Token', { 'a2a-notification-token': 'tok' }, ['tok']],
    ['a bearer token', { authorization: 'Bearer tok' }, ['tok']],
    ['a token without a scheme', { authorization: 'tok' }, ['tok']],
    ['basic credentials', { authorization: 'Basic dTpw' }, ['dTpw', 'u:p']],
    ['both', { 'x-a2a-notification-token': 'a', authorization: 'Bearer b' }, ['a', 'b']],
  ])('presents the secrets of %s', async (_, headers, presented) => {
    const fake = await start()
    const seen: unknown[] = []
    fake.isTrusted = (push) => seen.push(push) > 0
    await post(fake, '/v1/push/w/k', headers, body)
    expect(seen).toEqual([{ workerId: 'w', correlationId: 'k', taskId: 't-1', presented }])
  })

  test('that is not trusted gets 401 and is kept without its secrets', async () => {
    const fake = await start()
    fake.isTrusted = () => false
    const secret = `{"pushNotificationConfig":{"token":"s3cret"},${body.slice(1)}`
    const response = await post(fake, '/v1/push/w', { authorization: 'Bearer s3cret' }, secret)
    expect(await problemOf(response)).toMatchObject({ status: 401, code: 'push_unauthorized' })
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect(fake.appended).toEqual([])
    expect(fake.quarantined).toMatchObject([{ reason: 'untrusted', via: 'push' }])
    const kept = fake.quarantined[0]
    expect(Buffer.from(kept?.bytes ?? []).toString()).not.toContain('s3cret')
    expect(JSON.stringify(kept?.headers)).not.toContain('s3cret')
    expect(fake.logged.join('')).not.toContain('s3cret')
  })

  test('that is not JSON is handed on to be kept, and answered 204', async () => {
    const fake = await start()
    expect((await post(fake, '/v1/push/w', {}, 'not json')).status).toBe(204)
    expect(fake.appended).toHaveLength(1)
  })

  test('delivered again is counted, and answered as it was even where it cannot be counted', async () => {
    const fake = await start()
    expect((await post(fake, '/v1/push/w', {}, body)).status).toBe(204)
    fake.outcome = 'duplicate'
    for (const worker of ['w', 'w%2Fk', 'uncountable']) expect((await post(fake, `/v1/push/${worker}`, {}, body)).status).toBe(204)
    expect(fake.repeats).toEqual(['w', 'w/k'])
    expect(fake.logged.join()).toContain('a repeated push is not counted')
  })
})

describe('POST /internal/v1/events', () => {
  const verdict =
    '{"specversion":"1.0","id":"v","source":"urn:r","type":"reconciler.verdict","correlationid":"k","ifstreamposition":7,"data":{}}'
  const internal = { ...batch, authorization: 'Bearer inner-secret' }

  test.each([
    ['no token', {}],
    ['another token', { authorization: 'Bearer inner-secreT' }],
    ['the token of another scheme', { authorization: 'inner-secret' }],
  ])('refuses %s', async (_, headers) => {
    const fake = await start()
    const response = await post(fake, '/internal/v1/events', { ...batch, ...headers }, `[${verdict}]`)
    expect(await problemOf(response)).toMatchObject({ status: 403, code: 'internal_only' })
    expect(fake.appended).toEqual([])
  })

  test('takes ifstreamposition off and makes the append conditional', async () => {
    const fake = await start()
    const response = await post(fake, '/internal/v1/events', internal, `[${verdict}]`)
    expect(response.status).toBe(200)
    expect(fake.appended).toMatchObject([{ via: 'internal', ifStreamPosition: 7 }])
    expect(fake.appended[0]?.attributes).not.toHaveProperty('ifstreamposition')
  })

  test('rejects an ifstreamposition that is no position', async () => {
    const fake = await start()
    const response = await post(fake, '/internal/v1/events', internal, `[${verdict.replace(':7', ':"x"')}]`)
    expect(await response.json()).toMatchObject({ results: [{ id: 'v', outcome: 'rejected' }] })
  })
})

describe('GET /v1/events', () => {
  test.each([
    ['integers beyond 2^53', '{"n":9007199254740993}', '"data":{"n":9007199254740993}'],
    ['duplicate keys', '{"k":1,"k":2}', '"data":{"k":1,"k":2}'],
    ['escapes', '"\\u0000\\ud83d\\/"', '"data":"\\u0000\\ud83d\\/"'],
    ['spacing', '{ "a":\r\n1 }', '"data":{ "a":\r\n1 }'],
    ['text that is not JSON', '<html>', '"data_base64":"PGh0bWw+"'],
    ['bytes that are not UTF-8', Uint8Array.from([34, 255, 34]), '"data_base64":"Iv8i"'],
    ['no bytes', '', '"digest":"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}'],
    ['erased data', undefined, '"erased":true'],
  ])('shows %s', async (_, data, expected) => {
    const fake = await start()
    fake.recorded.push(recordedEvent(1, data))
    const text = await (await fetch(`${fake.url}/v1/events`)).text()
    expect(text).toContain(expected)
    eventPageSchema.parse(JSON.parse(text))
    const one = await (await fetch(`${fake.url}/v1/events/1`)).text()
    expect(`{"events":[${one}],"next":null}`).toBe(text)
    recordedEventSchema.parse(JSON.parse(one))
  })

  test('pages follow each other by next until there is none', async () => {
    const fake = await start()
    fake.recorded.push(...Array.from({ length: 25 }, (_, at) => recordedEvent(at + 1, '1')))
    const pages: number[] = []
    for (let after: number | null = 0; after !== null; ) {
      const response = await fetch(`${fake.url}/v1/events?after=${after}&limit=10&workerId=&type=`)
      const page = eventPageSchema.parse(await response.json())
      pages.push(page.events.length)
      after = page.next
    }
    expect(pages).toEqual([10, 10, 5])
  })

  test('a page of large events ends early and leads on', async () => {
    const fake = await start()
    const large = `"${'x'.repeat(6 * 1024 * 1024)}"`
    fake.recorded.push(...Array.from({ length: 6 }, (_, at) => recordedEvent(at + 1, large)))
    const page = eventPageSchema.parse(await (await fetch(`${fake.url}/v1/events?limit=6`)).json())
    expect([page.events.length, page.next]).toEqual([3, 3])
  })

  test('as NDJSON has every event up to the head, one a line', async () => {
    const fake = await start()
    fake.recorded.push(...Array.from({ length: 1234 }, (_, at) => recordedEvent(at + 1, '{"a":\n1}')))
    const response = await fetch(`${fake.url}/v1/events?after=4`, { headers: { accept: 'application/x-ndjson' } })
    expect(response.headers.get('content-type')).toMatch(/^application\/x-ndjson/)
    const positions = (await response.text())
      .trimEnd()
      .split('\n')
      .map((line) => recordedEventSchema.parse(JSON.parse(line)).position)
    expect(positions).toEqual(Array.from({ length: 1230 }, (_, at) => at + 5))
  })

  test('as NDJSON reads no further than a slow reader takes', async () => {
    const fake = await start()
    const data = `"${'x'.repeat(100_000)}"`
    fake.recorded.push(...Array.from({ length: 2000 }, (_, at) => recordedEvent(at + 1, data)))
    const reader = httpRequest(`${fake.url}/v1/events`, { headers: { accept: 'application/x-ndjson' } })
    reader.end()
    const response = await new Promise<IncomingMessage>((resolve) => reader.on('response', resolve))
    response.pause()
    let before = -1
    await expect
      .poll(
        () => {
          const isStill = fake.reads.length === before
          before = fake.reads.length
          return isStill
        },
        { interval: 100 },
      )
      .toBe(true)
    expect(fake.reads.reduce((sum, limit) => sum + limit, 0)).toBeLessThan(1000)
    response.destroy()
  })

  test.each([
    ['/v1/events?after=-1', 'after'],
    ['/v1/events?after=1.5', 'after'],
    ['/v1/events?after=1&after=2', 'after'],
    ['/v1/events?after=99999999999999999', 'after'],
    ['/v1/events?limit=0', 'limit'],
    ['/v1/events?limit=1001', 'limit'],
    ['/v1/events?limit=ten', 'limit'],
    ['/v1/events?workerId=%00', 'workerId'],
    ['/v1/events?correlationid=k', 'correlationid'],
    ['/v1/events/0', 'position'],
    ['/v1/events/x', 'position'],
    ['/v1/events/1.0/data', 'position'],
    ['/v1/events/99999999999999999999', 'position'],
    ['/v1/quarantine?reason=bad', 'reason'],
    ['/v1/quarantine/%00', 'id'],
    ['/v1/events/%zz', 'percent-encoding'],
    ['/v1/push/%ff', 'percent-encoding'],
  ])('GET %s is a parameter error that names it', async (path, name) => {
    const fake = await start()
    const problem = await problemOf(await fetch(`${fake.url}${path}`))
    expect(problem).toMatchObject({ status: 400, code: 'parameter_invalid', detail: expect.stringContaining(name) })
  })
})

describe('GET /v1/events/{position}/data', () => {
  test('gives the bytes with their content type, not as a page', async () => {
    const fake = await start()
    const html = recordedEvent(1, '<script>')
    fake.recorded.push({ ...html, attributes: { ...html.attributes, datacontenttype: 'text/html' } })
    const response = await fetch(`${fake.url}/v1/events/1/data`)
    expect(await response.text()).toBe('<script>')
    expect(response.headers.get('content-type')).toBe('text/html')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('content-security-policy')).toContain('sandbox')
  })

  test('answers 410 when erased, 404 when there is none yet', async () => {
    const fake = await start()
    fake.recorded.push(recordedEvent(1, undefined))
    const erased = await problemOf(await fetch(`${fake.url}/v1/events/1/data`))
    expect(erased).toMatchObject({ status: 410, code: 'payload_erased' })
    const absent = await problemOf(await fetch(`${fake.url}/v1/events/2/data`))
    expect(absent).toMatchObject({ status: 404, code: 'event_not_found' })
  })
})

describe('what is no route', () => {
  test.each([
    ['GET', '/'],
    ['GET', '/v1/push/w'],
    ['POST', '/v1/push'],
    ['DELETE', '/v1/events'],
    ['PUT', '/v1/events/1'],
    ['POST', '/v1/events/'],
  ])('%s %s is a problem', async (method, path) => {
    const fake = await start()
    const problem = await problemOf(await fetch(`${fake.url}${path}`, { method }))
    expect(problem.status).toBe(404)
    expect(problem.code).toBe('route_not_found')
  })

  test.each([
    ['bytes that are not HTTP', 'hello\r\n\r\n', 400],
    ['an unknown method', 'FOO / HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    ['headers of 200 KiB', `GET / HTTP/1.1\r\nhost: x\r\na: ${'x'.repeat(200 * 1024)}\r\n\r\n`, 431],
    ['two lengths', 'POST /v1/events HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n', 400],
  ])('%s are a problem', async (_, text, status) => {
    const fake = await start()
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(new URL(fake.url).port), '127.0.0.1', () => socket.write(text))
      let received = ''
      socket.on('data', (chunk) => (received += String(chunk)))
      socket.on('close', () => resolve(received))
      socket.on('error', reject)
    })
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(problemSchema.parse(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).status).toBe(status)
  })
})

test('GET /openapi.json describes every route, with bodies by content type', async () => {
  const fake = await start()
  const text = await (await fetch(`${fake.url}/openapi.json`)).text()
  expect(text).not.toContain('"$ref":"#/$defs') // such a reference leads nowhere inside this document
  const document = JSON.parse(text) as {
    openapi: string
    paths: Record<string, Record<string, { requestBody?: { content: Record<string, unknown> } }>>
  }
  expect(document.openapi).toBe('3.1.0')
  expect(Object.keys(document.paths).toSorted()).toEqual([
    '/healthz',
    '/internal/v1/events',
    '/metrics',
    '/openapi.json',
    '/readyz',
    '/v1/events',
    '/v1/events/{position}',
    '/v1/events/{position}/data',
    '/v1/gaps',
    '/v1/push/{workerId}',
    '/v1/push/{workerId}/{correlationId}',
    '/v1/quarantine',
    '/v1/quarantine/{id}',
    '/v1/quarantine/{id}/replay',
  ])
  expect(Object.keys(document.paths['/v1/events']?.['post']?.requestBody?.content ?? {})).toEqual([
    'application/cloudevents+json',
    'application/cloudevents-batch+json',
  ])
})
