/** The outside contract of the ledger (contract §2, §3), over real HTTP, on a real Postgres. */
import { createHash } from 'node:crypto'
import { createTestDatabase, startService, type ServiceProcess, type TestDatabase } from '@a2a-ledger/test/support'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventPageSchema, quarantinePageSchema, resultsSchema } from '../src/adapters/http/schemas.ts'

let database: TestDatabase
let ledger: ServiceProcess

beforeAll(async () => {
  database = await createTestDatabase()
  ledger = await startService('ledger', { DATABASE_URL: database.ledgerUrl })
})
afterAll(async () => {
  await ledger?.stop()
  await database?.drop()
})

const structuredType = 'application/cloudevents+json'
const batchType = 'application/cloudevents-batch+json'

let nextId = 0
/** Ids that no other test uses. */
const fresh = (prefix: string): string => `${prefix}-${(nextId += 1)}`

const task = (taskId: string, state = 'TASK_STATE_WORKING'): string =>
  `{"id":"${taskId}","contextId":"c-1","status":{"state":"${state}"}}`

/** JSON of one event; `members` override, `data` is written as it stands. */
const eventJson = (members: Readonly<Record<string, unknown>>, data?: string): string => {
  const event = {
    specversion: '1.0',
    id: fresh('e'),
    source: 'urn:test:http',
    type: 'a2a.task',
    workerid: 'w',
    ...members,
  }
  return data === undefined ? JSON.stringify(event) : `${JSON.stringify(event).slice(0, -1)},"data":${data}}`
}

const send = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string>): Promise<Response> =>
  fetch(`${ledger.url}/v1/events`, { method: 'POST', headers, body })

async function sendOne(json: string) {
  const response = await send(json, { 'content-type': structuredType })
  expect(response.status).toBe(200)
  const [result] = resultsSchema.parse(await response.json()).results
  if (result === undefined) throw new Error('no result')
  return result
}

async function sendBatch(events: readonly string[]) {
  const response = await send(`[${events.join(',')}]`, { 'content-type': batchType })
  expect(response.status).toBe(200)
  return resultsSchema.parse(await response.json()).results
}

async function record(json: string): Promise<number> {
  const result = await sendOne(json)
  if (result.outcome === 'quarantined') throw new Error(await (await get(`/v1/quarantine/${result.quarantineId}`)).text())
  if (result.outcome !== 'recorded') throw new Error(JSON.stringify(result))
  return result.position
}

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${ledger.url}${path}`, { headers })

const dataOf = async (position: number): Promise<Buffer> =>
  Buffer.from(await (await get(`/v1/events/${position}/data`)).arrayBuffer())

/** What happens behind the service's back. */
async function asAdmin<Row extends pg.QueryResultRow>(statement: string): Promise<pg.QueryResult<Row>> {
  const client = new pg.Client({ connectionString: database.adminUrl })
  await client.connect()
  try {
    return await client.query<Row>(statement)
  } finally {
    await client.end()
  }
}

const sha256 = (content: string | Uint8Array): string =>
  `sha256:${createHash('sha256').update(content).digest('hex')}`

describe('bad input', () => {
  test.each<[string, string, Record<string, string>, number, string]>([
    ['not JSON', 'hello', { 'content-type': structuredType }, 400, 'body_malformed'],
    ['an empty body', '', { 'content-type': structuredType }, 400, 'body_malformed'],
    ['an empty batch body', '', { 'content-type': batchType }, 400, 'body_malformed'],
    ['a wrong content type', '{}', { 'content-type': 'text/plain' }, 415, 'content_type_unsupported'],
    ['1,001 events', `[${Array.from({ length: 1001 }, () => eventJson({}, task('t'))).join(',')}]`, { 'content-type': batchType }, 413, 'batch_too_large'],
    ['9 MiB', eventJson({}, `"${'x'.repeat(9 * 1024 * 1024)}"`), { 'content-type': structuredType }, 413, 'body_too_large'],
    ['a missing source', JSON.stringify({ specversion: '1.0', id: 'e', type: 'a2a.task' }), { 'content-type': structuredType }, 400, 'envelope_invalid'],
  ])('%s is a problem', async (_, body, headers, status, code) => {
    const response = await send(body, headers)
    expect([response.status, await response.json()]).toMatchObject([status, { code, status }])
  })

  test.each<[string, Record<string, unknown>, string | undefined, string]>([
    ['an unknown type', { type: 'com.example.other' }, '{}', 'unknown_type'],
    ['a reserved type', { type: 'reconciler.verdict' }, '{}', 'reserved_type'],
    ['a reserved correlation ID', { correlationid: '~w/t' }, task('t'), 'reserved_id'],
    ['a missing worker', { workerid: undefined }, task('t'), 'attribute_invalid'],
    ['a task id of 1,025 characters', { taskid: 'é'.repeat(1025) }, task('t'), 'attribute_invalid'],
    ['an id of 1,025 characters', { id: `${fresh('long')}${'é'.repeat(1025)}` }, task('t'), 'attribute_invalid'],
    ['an attribute of 9,000 characters', { myextension: 'é'.repeat(9000) }, task('t'), 'attribute_invalid'],
    ['NUL in an attribute', { taskid: 'a\u0000b' }, task('t'), 'attribute_invalid'],
    ['NUL in the id', { id: `${fresh('nul')}\u0000` }, task('t'), 'attribute_invalid'],
    ['NUL in the source', { source: 'urn:\u0000' }, task('t'), 'attribute_invalid'],
    ['NUL in the name of an attribute', { 'a\u0000': 'x' }, task('t'), 'attribute_invalid'],
    ['NUL in the type', { type: 'a2a.task\u0000' }, task('t'), 'unknown_type'],
    ['half a surrogate pair in an attribute', { workerid: '\ud83d' }, task('t'), 'attribute_invalid'],
    ['half a surrogate pair in the id', { id: `${fresh('half')}\ud83d` }, task('t'), 'attribute_invalid'],
    ['a time that is none', { time: 'yesterday' }, task('t'), 'attribute_invalid'],
    ['a binding nobody knows', { binding: 'SOAP' }, task('t'), 'attribute_invalid'],
    ['no data', {}, undefined, 'data_missing'],
    ['data nested 1,000 deep', {}, '['.repeat(1000) + ']'.repeat(1000), 'data_malformed'],
    ['data of 500,001 values', {}, `[${'1,'.repeat(499_999)}1]`, 'data_malformed'],
    ['data of another world', {}, '{"foo":"bar"}', 'data_foreign'],
    ['a state twice', {}, '{"id":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING","state":"TASK_STATE_COMPLETED"}}', 'data_ambiguous'],
    ['NUL in an id of the data', {}, task('t\\u0000'), 'id_invalid'],
    ['half a surrogate pair in an id of the data', {}, task('t\\ud83d'), 'id_invalid'],
  ])('%s is quarantined, found there, and the same when sent again', async (_, members, data, reason) => {
    const json = eventJson(members, data)
    const first = await sendOne(json)
    expect(first).toMatchObject({ outcome: 'quarantined', reason, detail: expect.stringMatching(/./) })
    expect(await sendOne(json)).toEqual(first)
    const id = first.outcome === 'quarantined' ? first.quarantineId : ''
    const kept = (await (await get(`/v1/quarantine/${id}`)).json()) as Record<string, string>
    expect(kept).toMatchObject({ id, reason, via: 'http', detail: first.outcome === 'quarantined' ? first.detail : '' })
    expect(Buffer.from(kept['data_base64'] ?? '', 'base64').toString()).toBe(data ?? '')
  })

  test('bytes that are not UTF-8 in binary mode are quarantined', async () => {
    const headers = { 'ce-specversion': '1.0', 'ce-id': fresh('e'), 'ce-source': 'urn:test', 'ce-type': 'a2a.task', 'ce-workerid': 'w' }
    const response = await send(Uint8Array.from([0x22, 0xff, 0x22]), headers)
    expect(await response.json()).toMatchObject({ results: [{ outcome: 'quarantined', reason: 'data_malformed' }] })
  })

  test('one bad event of each kind never harms its neighbours', async () => {
    const results = await sendBatch([
      eventJson({}, task('n-1')),
      '{"id":"x"}',
      '[]',
      eventJson({ type: 'com.example.other' }, '{}'),
      eventJson({ taskid: '\u0000' }, task('n-2')),
      eventJson({}, '['.repeat(1000) + ']'.repeat(1000)),
      eventJson({}, '{"foo":1}'),
      eventJson({}, task('n-3')),
    ])
    expect(results.map(({ outcome }) => outcome)).toEqual([
      'recorded', 'rejected', 'rejected', 'quarantined', 'quarantined', 'quarantined', 'quarantined', 'recorded',
    ])
  })
})

describe('what is sent is what is read', () => {
  test.each([
    ['ids of 1,024 characters of two bytes', { taskid: 'é'.repeat(1024), workerid: 'ü'.repeat(1024), correlationid: 'ß'.repeat(1024) }],
    ['ids of 1,024 characters of four bytes', { taskid: '😀'.repeat(1024), correlationid: '🚀'.repeat(1024), messageid: '🎈'.repeat(1024) }],
    ['a quote, a backslash, a percent sign', { taskid: `"\\%'%00` }],
  ])('%s', async (_, members) => {
    const position = await record(eventJson(members, task('t')))
    expect(await (await get(`/v1/events/${position}`)).json()).toMatchObject({ position, ...members })
  })

  test('an id of 1,024 characters of three bytes, recorded once', async () => {
    const json = eventJson({ id: fresh('').padStart(1024, '語') }, task('t'))
    const position = await record(json)
    expect(await sendOne(json)).toMatchObject({ outcome: 'duplicate', position })
  })

  test.each([
    ['odd spacing', '{ "id" :\t"t" ,\n"contextId":"c","status":{"state" : "TASK_STATE_WORKING"} }'],
    ['numbers beyond 2^53', '{"id":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"},"metadata":{"n":9007199254740993,"m":1.0e+2}}'],
    ['duplicate keys in free metadata', '{"id":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"},"metadata":{"k":1,"k":2}}'],
    ['NUL and half a surrogate pair in free text', '{"id":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"},"metadata":{"k":"\\u0000 \\ud83d \\/ \\u0041"}}'],
    ['raw characters of four bytes', '{"id":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"},"metadata":{"k":"😀"}}'],
  ])('data with %s, in all three modes', async (_, data) => {
    const structured = await record(eventJson({}, data))
    const base64 = await record(eventJson({ data_base64: Buffer.from(data).toString('base64') }))
    const [batched] = await sendBatch([eventJson({}, data)])
    const binary = await send(data, {
      'ce-specversion': '1.0', 'ce-id': fresh('e'), 'ce-source': 'urn:test', 'ce-type': 'a2a.task', 'ce-workerid': 'w',
      'content-type': 'application/a2a+json',
    })
    const [inBinary] = resultsSchema.parse(await binary.json()).results
    const positions = [structured, base64, batched, inBinary].map((result) =>
      typeof result === 'number' ? result : result?.outcome === 'recorded' ? result.position : 0,
    )
    for (const position of positions) {
      expect((await dataOf(position)).toString()).toBe(data)
      const text = await (await get(`/v1/events/${position}`)).text()
      expect(text).toContain(`"data":${data}`)
      expect(JSON.parse(text)).toMatchObject({ digest: sha256(data), canonical: { kind: 'task' } })
    }
  })

  test('the body of an event stream is taken apart, in all three modes', async () => {
    const update = (state: string) => `data: ${JSON.stringify({ statusUpdate: { taskId: 't', contextId: 'c', status: { state } } })}\n\n`
    const data = `: keep-alive\n\n${update('TASK_STATE_WORKING')}${update('TASK_STATE_COMPLETED')}`
    const call = { type: 'a2a.response', operation: 'SendStreamingMessage' }
    const structured = await record(eventJson({ ...call, correlationid: fresh('k') }, JSON.stringify(data)))
    const base64 = await record(eventJson({ ...call, correlationid: fresh('k'), data_base64: Buffer.from(data).toString('base64') }))
    const binary = await send(data, {
      'ce-specversion': '1.0', 'ce-id': fresh('e'), 'ce-source': 'urn:test', 'ce-type': call.type, 'ce-operation': call.operation, 'ce-workerid': 'w', 'ce-correlationid': fresh('k'),
      'content-type': 'text/event-stream',
    })
    const [inBinary] = resultsSchema.parse(await binary.json()).results
    for (const position of [structured, base64, inBinary?.outcome === 'recorded' ? inBinary.position : 0]) {
      const [body, ...events] = await Promise.all([0, 1, 2].map(async (n) => (await get(`/v1/events/${position + n}`)).json()))
      expect(body).toMatchObject({ canonical: { kind: 'task-list', tasks: [{ taskId: 't', state: 'working' }, { taskId: 't', state: 'completed' }] } })
      expect(events).toMatchObject(['working', 'completed'].map((state) => ({ derivedFrom: position, canonical: { kind: 'status-update', taskId: 't', state } })))
    }
  })

  test('numbers beyond 2^53 are noted', async () => {
    const position = await record(eventJson({}, '{"id":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"},"metadata":{"n":9007199254740993}}'))
    expect(await (await get(`/v1/events/${position}`)).json()).toMatchObject({
      canonical: { notes: ['number_precision'] },
    })
  })
})

describe('one key', () => {
  test('with the same content again is a duplicate, also in other bytes', async () => {
    const id = fresh('same')
    const position = await record(eventJson({ id }, task('t')))
    expect(await sendOne(eventJson({ id }, task('t')))).toMatchObject({ outcome: 'duplicate', position })
    const spaced = '{ "status":{"state":"TASK_STATE_\\u0057ORKING"},"contextId":"c-1","id":"t"}'
    expect(await sendOne(eventJson({ id }, spaced))).toMatchObject({ outcome: 'duplicate', position })
    expect(await sendOne(eventJson({ id, traceparent: '00-1' }, task('t')))).toMatchObject({ outcome: 'duplicate' })
    expect((await dataOf(position)).toString()).toBe(task('t'))
  })

  test('with other content is a conflict that says in what, and both are kept', async () => {
    const id = fresh('other')
    const position = await record(eventJson({ id, httpstatus: '200' }, task('t')))
    const data = await sendOne(eventJson({ id, httpstatus: '200' }, task('t', 'TASK_STATE_COMPLETED')))
    expect(data).toMatchObject({ outcome: 'conflict', differsIn: ['data'] })
    const status = await sendOne(eventJson({ id, httpstatus: '202' }, task('t')))
    expect(status).toMatchObject({ outcome: 'conflict', differsIn: ['httpstatus'] })
    expect((await dataOf(position)).toString()).toBe(task('t'))
    const kept = await get(`/v1/quarantine/${data.outcome === 'conflict' ? data.quarantineId : ''}`)
    expect(await kept.json()).toMatchObject({
      reason: 'conflict',
      data_base64: Buffer.from(task('t', 'TASK_STATE_COMPLETED')).toString('base64'),
    })
  })

  test('twice in one batch is recorded once', async () => {
    const id = fresh('twice')
    const [first, same, other] = await sendBatch([
      eventJson({ id }, task('t')),
      eventJson({ id }, task('t')),
      eventJson({ id }, task('t', 'TASK_STATE_FAILED')),
    ])
    expect(first).toMatchObject({ outcome: 'recorded' })
    expect(same).toMatchObject({ outcome: 'duplicate', position: first?.outcome === 'recorded' ? first.position : 0 })
    expect(other).toMatchObject({ outcome: 'conflict', differsIn: ['data'] })
  })

  test('of another source is another event', async () => {
    const id = fresh('shared')
    await record(eventJson({ id, source: 'urn:a' }, task('t')))
    await record(eventJson({ id, source: 'urn:b' }, task('t')))
  })
})

describe('reading', () => {
  test('filters by correlation, worker and type, in pages', async () => {
    const [correlationid, workerid] = [fresh('k'), fresh('w')]
    const results = await sendBatch(
      Array.from({ length: 7 }, (_, at) =>
        eventJson({ correlationid: at < 5 ? correlationid : undefined, workerid }, task(`t-${at}`)),
      ),
    )
    const positions = results.map((result) => (result.outcome === 'recorded' ? result.position : 0))
    const read = async (query: string) => eventPageSchema.parse(await (await get(`/v1/events?${query}`)).json())
    const first = await read(`correlationId=${correlationid}&limit=3`)
    const second = await read(`correlationId=${correlationid}&limit=3&after=${first.next}`)
    expect([...first.events, ...second.events].map(({ position }) => position)).toEqual(positions.slice(0, 5))
    expect(second.next).toBeNull()
    expect((await read(`workerId=${workerid}`)).events).toHaveLength(7)
    expect((await read(`workerId=${workerid}&type=a2a.error`)).events).toEqual([])
    expect(first.events[0]).toMatchObject({ correlationid, correlationId: correlationid, rung: 'explicit' })
    const synthetic = await read(`workerId=${workerid}&after=${positions[4]}`)
    expect(synthetic.events[0]).toMatchObject({ correlationId: `~${workerid}/t-5`, rung: 'synthetic' })
  })

  test('as NDJSON has the same events, one a line', async () => {
    const page = eventPageSchema.parse(await (await get('/v1/events?limit=1000')).json())
    const response = await get('/v1/events', { accept: 'application/x-ndjson' })
    const lines = (await response.text()).trimEnd().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { position: number }).position)).toEqual(
      page.events.map(({ position }) => position),
    )
  })

  test('/readyz names the ledger and its head', async () => {
    const position = await record(eventJson({}, task('t')))
    expect(await (await get('/readyz')).json()).toEqual({
      ready: true,
      ledgerId: expect.any(String),
      epoch: 1,
      head: position,
      durability: 'local',
    })
  })

  test('what is not there is 404', async () => {
    expect((await get('/v1/events/999999999')).status).toBe(404)
    expect((await get('/v1/events/999999999/data')).status).toBe(404)
    expect((await get('/v1/quarantine/none')).status).toBe(404)
    expect((await get('/v1/quarantine?after=none')).status).toBeLessThan(500)
  })
})

describe('quarantine', () => {
  test('lists in order of arrival, by reason, in pages', async () => {
    const ids: string[] = []
    for (let at = 0; at < 3; at += 1) {
      const result = await sendOne(eventJson({ type: fresh('com.example') }, '{}'))
      if (result.outcome === 'quarantined') ids.push(result.quarantineId)
    }
    const read = async (query: string) => quarantinePageSchema.parse(await (await get(`/v1/quarantine?${query}`)).json())
    const found: string[] = []
    for (let after: string | null = ''; after !== null; ) {
      const page: Awaited<ReturnType<typeof read>> = await read(`reason=unknown_type&limit=2&after=${after}`)
      expect(page.entries.every(({ reason, via }) => reason === 'unknown_type' && via === 'http')).toBe(true)
      found.push(...page.entries.map(({ id }) => id))
      after = page.next
    }
    expect(found.filter((id) => ids.includes(id))).toEqual(ids)
    expect(new Set(found).size).toBe(found.length)
  })

  test('a replay that is not understood either keeps its entry', async () => {
    const result = await sendOne(eventJson({ type: 'com.example.replayed' }, '{}'))
    const id = result.outcome === 'quarantined' ? result.quarantineId : ''
    const response = await fetch(`${ledger.url}/v1/quarantine/${id}/replay`, { method: 'POST' })
    expect([response.status, await response.json()]).toMatchObject([
      200,
      { outcome: 'quarantined', quarantineId: id, reason: 'unknown_type', detail: expect.stringContaining('is not a type') },
    ])
    expect((await fetch(`${ledger.url}/v1/quarantine/none/replay`, { method: 'POST' })).status).toBe(404)
  })
})

describe('push', () => {
  const update = (taskId: string, state: string): string =>
    `{"statusUpdate":{"taskId":"${taskId}","contextId":"c-1","status":{"state":"TASK_STATE_${state}"}}}`
  const push = (path: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${ledger.url}/v1/push/${path}`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })
  const eventsOf = async (query: string) =>
    eventPageSchema.parse(await (await get(`/v1/events?${query}`)).json()).events

  test('delivered twice is one event, other bytes are another', async () => {
    const [worker, correlation] = [fresh('w'), fresh('k')]
    for (const body of [update('t', 'WORKING'), update('t', 'WORKING'), `${update('t', 'WORKING')} `]) {
      expect((await push(`${worker}/${correlation}`, body)).status).toBe(204)
    }
    const events = await eventsOf(`correlationId=${correlation}`)
    expect(events.map(({ digest }) => digest)).toEqual([
      sha256(update('t', 'WORKING')),
      sha256(`${update('t', 'WORKING')} `),
    ])
    expect(events[0]).toMatchObject({ type: 'a2a.stream-response', operation: 'Push', source: 'urn:a2a-ledger:push' })
  })

  test('delivered again is counted, in one row a worker, however many workers do so at once', async () => {
    const [one, other] = [fresh('w'), fresh('w')]
    expect((await push(other, update('t', 'WORKING'))).status).toBe(204)
    const again = await Promise.all(Array.from({ length: 20 }, () => push(one, update('t', 'WORKING'))))
    expect(again.map(({ status }) => status)).toEqual(again.map(() => 204))
    const reader = new pg.Client({ connectionString: database.reconcilerUrl })
    await reader.connect()
    const { rows } = await reader.query('SELECT worker_id, repeats::integer FROM ledger.push_repeats_v1 WHERE worker_id = ANY($1)', [[one, other]])
    await reader.end()
    expect(rows).toEqual([{ worker_id: one, repeats: 19 }])
  })

  test.each([
    ['not JSON', 'not json', 'data_malformed'],
    ['empty', '', 'data_missing'],
    ['a state twice', '{"kind":"status-update","taskId":"t","contextId":"c","status":{"state":"working","state":"completed"},"final":true}', 'data_ambiguous'],
    ['another world', '{"foo":1}', 'data_foreign'],
  ])('with a body that is %s is durable in quarantine', async (_, body, reason) => {
    const worker = fresh('w')
    expect((await push(worker, body)).status).toBe(204)
    const page = quarantinePageSchema.parse(await (await get(`/v1/quarantine?reason=${reason}&limit=1000`)).json())
    expect(page.entries.some(({ via, source }) => via === 'push' && source === 'urn:a2a-ledger:push')).toBe(true)
    expect(await eventsOf(`workerId=${worker}`)).toEqual([])
  })

  test('without the configured token is refused and kept, with it is recorded; no secret is readable', async () => {
    const [worker, correlationid] = [fresh('w'), fresh('k')]
    const secret = fresh('s3cret-token')
    await record(eventJson(
      { type: 'a2a.dispatch', operation: 'SendMessage', workerid: worker, correlationid },
      `{"message":{"role":"ROLE_USER","messageId":"m-1","parts":[{"text":"a"}]},"configuration":{"taskPushNotificationConfig":{"url":"https://o.example.com/hook","token":"${secret}"}}}`,
    ))
    await record(eventJson(
      { type: 'a2a.response', operation: 'SendMessage', workerid: worker, correlationid },
      `{"jsonrpc":"2.0","id":1,"result":{"task":${task('t-1', 'TASK_STATE_SUBMITTED')}}}`,
    ))
    const refused = await push(worker, update('t-1', 'COMPLETED'), { authorization: `Bearer wrong-${secret}` })
    expect([refused.status, await refused.json()]).toMatchObject([401, { code: 'push_unauthorized' }])
    expect((await push(worker, update('t-1', 'COMPLETED'))).status).toBe(401)
    for (const headers of [
      { 'x-a2a-notification-token': secret },
      { 'a2a-notification-token': secret },
      { authorization: `Bearer ${secret}` },
    ]) {
      expect((await push(worker, update('t-1', 'WORKING'), headers)).status).toBe(204)
    }
    const events = await (await get(`/v1/events?correlationId=${correlationid}`)).text()
    expect(events).toContain(`"token":"${'*'.repeat(secret.length)}"`)
    const kept = quarantinePageSchema.parse(await (await get('/v1/quarantine?reason=untrusted&limit=1000')).json())
    const inputs = await Promise.all(kept.entries.map(async ({ id }) => (await get(`/v1/quarantine/${id}`)).text()))
    expect([events, ...inputs, ...ledger.logged].join('\n')).not.toContain(secret)
    expect(kept.entries.every(({ via }) => via === 'push')).toBe(true)
  })
})

test('the internal endpoint is closed to those without the token of the deployment', async () => {
  const response = await fetch(`${ledger.url}/internal/v1/events`, {
    method: 'POST',
    headers: { 'content-type': batchType, authorization: 'Bearer guess' },
    body: `[${eventJson({ type: 'reconciler.verdict', correlationid: 'k' }, '{}')}]`,
  })
  expect([response.status, await response.json()]).toMatchObject([403, { code: 'internal_only' }])
})

describe('with the token of the deployment', () => {
  let token: string
  beforeAll(async () => {
    const { rows } = await asAdmin<{ internal_token: string }>('SELECT internal_token FROM ledger.identity')
    token = rows[0]?.internal_token ?? ''
  })
  const sendInternal = async (events: readonly string[]) => {
    const response = await fetch(`${ledger.url}/internal/v1/events`, {
      method: 'POST',
      headers: { 'content-type': batchType, authorization: `Bearer ${token}` },
      body: `[${events.join(',')}]`,
    })
    expect(response.status).toBe(200)
    return resultsSchema.parse(await response.json()).results
  }

  test('reserved types and synthetic streams are recorded, a second decision is the first one', async () => {
    const verdict = { type: 'reconciler.verdict', id: fresh('v'), correlationid: `~w/${fresh('t')}` }
    const [recorded] = await sendInternal([eventJson(verdict, '{"kind":"reobserve"}')])
    expect(recorded).toMatchObject({ outcome: 'recorded', correlationId: verdict.correlationid })
    const [again] = await sendInternal([eventJson(verdict, '{"kind":"redispatch"}')])
    expect(again).toEqual({ ...recorded, outcome: 'duplicate' })
  })

  test('an append is stale when its stream has newer events', async () => {
    const correlationid = fresh('k')
    const position = await record(eventJson({ correlationid }, task('t')))
    const decide = (ifstreamposition: number): string =>
      eventJson({ type: 'reconciler.verdict', correlationid, ifstreamposition }, '{"kind":"reobserve"}')
    expect(await sendInternal([decide(position - 1)])).toMatchObject([{ outcome: 'stale', position }])
    expect(await sendInternal([decide(position)])).toMatchObject([{ outcome: 'recorded' }])
  })
})

test('erased data answers 410, its event says so, the others stay', async () => {
  const position = await record(eventJson({}, task(fresh('t'))))
  await asAdmin(`SET ROLE a2a_ledger_eraser; DELETE FROM ledger.payloads WHERE position = ${position}`)
  const response = await get(`/v1/events/${position}/data`)
  expect([response.status, await response.json()]).toMatchObject([410, { code: 'payload_erased' }])
  const event = (await (await get(`/v1/events/${position}`)).json()) as Record<string, unknown>
  expect(event).toMatchObject({ position, erased: true, canonical: { kind: 'task' } })
  expect(Object.keys(event)).not.toContain('digest')
})

test('an untrusted push that somebody vouches for is recorded by its replay', async () => {
  const [worker, correlationid] = [fresh('w'), fresh('k')]
  await record(eventJson(
    { type: 'a2a.dispatch', operation: 'SendMessage', workerid: worker, correlationid },
    '{"message":{"role":"ROLE_USER","messageId":"m","parts":[{"text":"a"}]},"configuration":{"taskPushNotificationConfig":{"url":"https://o.example.com","token":"tok"}}}',
  ))
  const body = `{"statusUpdate":{"taskId":"${fresh('t')}","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}}`
  const refused = await fetch(`${ledger.url}/v1/push/${worker}/${correlationid}`, { method: 'POST', body })
  expect(refused.status).toBe(401)
  const { entries } = quarantinePageSchema.parse(await (await get('/v1/quarantine?reason=untrusted&limit=1000')).json())
  const id = entries.at(-1)?.id ?? ''
  const replay = await fetch(`${ledger.url}/v1/quarantine/${id}/replay`, { method: 'POST' })
  const outcome = (await replay.json()) as { position: number }
  expect(outcome).toMatchObject({ outcome: 'recorded', correlationId: correlationid })
  expect((await dataOf(outcome.position)).toString()).toBe(body)
  expect(await (await get(`/v1/quarantine/${id}`)).json()).toMatchObject({ replayedAs: outcome.position })
})

test('a gap is recorded once, in the stream of its worker, and cannot be told from outside as an event', async () => {
  const worker = fresh('gap-worker')
  const gap = {
    id: fresh('gap'), workerId: worker, witness: 'urn:test:http', reason: 'spool_full', from: '2026-03-01T10:00:00Z', to: '2026-03-01T10:00:30Z',
    events: 2, byType: { 'a2a.dispatch': 2 }, isExact: true,
  }
  const report = async () => {
    const response = await fetch(`${ledger.url}/v1/gaps`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ gaps: [gap] }) })
    return resultsSchema.parse(await response.json()).results[0]
  }
  const first = await report()
  expect(first).toMatchObject({ outcome: 'recorded', correlationId: `~${worker}` })
  expect(await report()).toMatchObject({ outcome: 'duplicate', position: first?.outcome === 'recorded' ? first.position : 0 })
  const { events } = eventPageSchema.parse(await (await get(`/v1/events?type=ledger.gap&workerId=${worker}`)).json())
  expect(events).toMatchObject([{ type: 'ledger.gap', workerid: worker, data: { reason: 'spool_full', events: 2 } }])
  expect(await sendOne(eventJson({ type: 'ledger.gap', workerid: worker }, '{}'))).toMatchObject({ outcome: 'quarantined', reason: 'reserved_type' })
})
