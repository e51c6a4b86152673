/** The ledger as a process: its start, its end, and Postgres going away under it. */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { createTestDatabase, runService, startService, type ServiceProcess, type TestDatabase } from '@a2a-ledger/test/support'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventPageSchema, resultsSchema } from '../src/adapters/http/schemas.ts'
import { createLossyConnection, type LossyConnection } from './lossy-connection.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(async () => {
  await database?.drop()
})

const eventJson = (id: string): string =>
  JSON.stringify({
    specversion: '1.0', id, source: 'urn:test:process', type: 'a2a.task', workerid: 'w',
    data: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' } },
  })

const batchOf = (prefix: string, count: number): string =>
  `[${Array.from({ length: count }, (_, at) => eventJson(`${prefix}-${at}`)).join(',')}]`

const sendBatch = (url: string, body: string): Promise<Response> =>
  fetch(`${url}/v1/events`, { method: 'POST', headers: { 'content-type': 'application/cloudevents-batch+json' }, body })

describe('configuration errors', () => {
  test('are reported all at once, without a stack trace, with exit code 1', async () => {
    const { code, stdout, stderr } = await runService('ledger', { HOST: '0.0.0.0', LEDGER_PORT: 'x', LOG_LEVEL: 'loud' })
    expect(code).toBe(1)
    expect(stdout).toBe('')
    for (const name of ['HOST', 'LEDGER_PORT', 'LOG_LEVEL', 'DATABASE_URL']) expect(stderr).toContain(name)
    expect(stderr).not.toMatch(/^\s+at /m)
  })
})

test('a port that is taken ends the process with a sentence, not with a stack trace', async () => {
  const first = await startService('ledger', { DATABASE_URL: database.ledgerUrl })
  const { code, stderr } = await runService('ledger', { DATABASE_URL: database.ledgerUrl, LEDGER_PORT: new URL(first.url).port })
  expect(code).toBe(1)
  expect(stderr).toContain('LEDGER_PORT')
  expect(stderr).not.toMatch(/^\s+at /m)
  await first.stop()
})

test('SIGTERM ends what runs, answers it, and exits with 0', async () => {
  const ledger = await startService('ledger', { DATABASE_URL: database.ledgerUrl })
  const body = batchOf('drain', 200)
  const running = request(`${ledger.url}/v1/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/cloudevents-batch+json', 'content-length': Buffer.byteLength(body) },
  })
  running.write(body.slice(0, 1000))
  await expect.poll(async () => (await fetch(`${ledger.url}/metrics`)).text()).toMatch(/body_bytes_in_flight [1-9]/)
  const stopped = ledger.stop()
  await expect.poll(() => fetch(`${ledger.url}/healthz`).then(() => 'open', () => 'closed')).toBe('closed')
  running.end(body.slice(1000))
  const [response] = (await once(running, 'response')) as [IncomingMessage]
  expect(response.statusCode).toBe(200)
  response.resume()
  expect(await stopped).toBe(0)
})

test('SIGTERM does not wait for a call that never ends', async () => {
  const ledger = await startService('ledger', { DATABASE_URL: database.ledgerUrl, DRAIN_TIMEOUT_MS: '200' })
  const hanging = request(`${ledger.url}/v1/events`, { method: 'POST', headers: { 'content-length': 100 } })
  hanging.on('error', () => undefined)
  hanging.write('{')
  await expect.poll(async () => (await fetch(`${ledger.url}/metrics`)).text()).toMatch(/body_bytes_in_flight [1-9]/)
  expect(await ledger.stop()).toBe(0)
})

test('SIGTERM during the start begins nothing more and exits with 0, whoever does not answer', async () => {
  const asked = Promise.withResolvers<void>()
  const silent = createServer((socket) => {
    socket.on('error', () => undefined)
    asked.resolve()
  }).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const broker = `127.0.0.1:${(silent.address() as AddressInfo).port}`
  const { code, stdout } = await runService('ledger', { DATABASE_URL: database.ledgerUrl, LEDGER_PORT: '0', KAFKA_BROKERS: broker }, asked.promise)
  silent.close()
  expect(code).toBe(0)
  const said = stdout.trim().split('\n').map((line) => (JSON.parse(line) as { msg: string }).msg)
  expect(said.filter((line) => !line.startsWith('Kafka client'))).toEqual(['stopping', 'stopped'])
})

describe('Postgres going away', () => {
  let link: LossyConnection
  let ledger: ServiceProcess
  beforeAll(async () => {
    link = await createLossyConnection(database.ledgerUrl)
    ledger = await startService('ledger', { DATABASE_URL: link.url })
  })
  afterAll(async () => {
    await ledger?.stop()
    await link?.close()
  })

  test('in the middle of batches answers 503 with Retry-After, records nothing half, resumes by itself', async () => {
    const acknowledged = new Set<string>()
    const refusals: Response[] = []
    let isOver = false
    const writer = async (name: string): Promise<void> => {
      for (let round = 0; round < 20 || !isOver; round += 1) {
        const prefix = `away-${name}-${round}`
        for (;;) {
          const response = await sendBatch(ledger.url, batchOf(prefix, 20))
          if (response.status === 200) {
            const { results } = resultsSchema.parse(await response.json())
            expect(results.every(({ outcome }) => outcome === 'recorded' || outcome === 'duplicate')).toBe(true)
            acknowledged.add(prefix)
            break
          }
          refusals.push(response)
          await new Promise((resolve) => setTimeout(resolve, 20))
        }
      }
    }
    const writing = Promise.all(['a', 'b', 'c'].map(writer))
    for (let outage = 0; outage < 3; outage += 1) {
      const before = acknowledged.size
      await expect.poll(() => acknowledged.size, { interval: 2 }).toBeGreaterThan(before)
      const refused = refusals.length
      link.goAway()
      await expect.poll(() => refusals.length, { interval: 2 }).toBeGreaterThan(refused)
      expect((await fetch(`${ledger.url}/readyz`)).status).toBe(503)
      expect((await fetch(`${ledger.url}/healthz`)).status).toBe(200)
      link.comeBack()
    }
    isOver = true
    await writing

    for (const refusal of refusals) {
      expect(refusal.status).toBe(503)
      expect(refusal.headers.get('retry-after')).toBe('1')
      expect(['store_unavailable', 'outcome_unknown']).toContain(((await refusal.json()) as { code: string }).code)
    }
    const ids: string[] = []
    let positions = 0
    for (let after: number | null = 0; after !== null; ) {
      const response = await fetch(`${ledger.url}/v1/events?limit=1000&after=${after}`)
      const page = eventPageSchema.parse(await response.json())
      for (const event of page.events) expect(event.position).toBe((positions += 1))
      ids.push(...page.events.filter(({ id }) => id.startsWith('away-')).map(({ id }) => id))
      after = page.next
    }
    expect(ids).toHaveLength(acknowledged.size * 20)
    expect(new Set(ids).size).toBe(ids.length)
    expect((await fetch(`${ledger.url}/readyz`)).status).toBe(200)
  })

  test('reads answer 503 meanwhile, and a process that starts then waits for Postgres', async () => {
    link.goAway()
    for (const path of ['/readyz', '/v1/events', '/v1/events/1', '/v1/events/1/data', '/v1/quarantine']) {
      expect([path, (await fetch(`${ledger.url}${path}`)).status]).toEqual([path, 503])
    }
    const streamed = await fetch(`${ledger.url}/v1/events`, { headers: { accept: 'application/x-ndjson' } })
    expect(streamed.status).toBe(503)
    const logged: string[] = []
    const starting = startService('ledger', { DATABASE_URL: link.url }, logged)
    await expect.poll(() => logged.join('\n')).toContain('waiting for Postgres')
    link.comeBack()
    const late = await starting
    expect(logged.join('\n')).toContain('Postgres answers')
    expect((await fetch(`${late.url}/readyz`)).status).toBe(200)
    expect((await sendBatch(late.url, batchOf('late', 1))).status).toBe(200)
    expect(await late.stop()).toBe(0)
  })
})
