/**
 * Bodies that live agents really sent, each posted with the question, binding and HTTP status it
 * answered: what a conforming client accepts is recorded as it came, and every not-found counts for
 * as much as its question makes it (F6).
 */
import { createHash } from 'node:crypto'
import { capturedAnswers, evidenceOfNotFound, hasSharedCases, type CapturedAnswer } from '@a2a-ledger/domain/testing/wire'
import { createTestDatabase, startService, type ServiceProcess, type TestDatabase } from '@a2a-ledger/test/support'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

interface Recorded {
  readonly position: number
  readonly digest: string
  readonly canonical: { readonly kind: string; readonly error?: { readonly name: string; readonly evidence: string } }
}

interface Posted {
  readonly answer: CapturedAnswer
  readonly frame: string
  readonly status: number
  readonly result: { readonly outcome: string; readonly position?: number; readonly reason?: string }
}

describe.skipIf(!hasSharedCases)('bodies captured from live agents, posted over HTTP (../shared/cases)', () => {
  let database: TestDatabase
  let ledger: ServiceProcess
  const posted: Posted[] = []
  let recorded: ReadonlyMap<number, Recorded>

  beforeAll(async () => {
    database = await createTestDatabase()
    ledger = await startService('ledger', { DATABASE_URL: database.ledgerUrl })
    for (const [number, answer] of capturedAnswers.entries()) {
      const one = (frame: string, index: number) =>
        post(answer, frame, { id: `${answer.file}#${index}`, workerid: `captured-${number}` })
      posted.push(...(await Promise.all(answer.frames.map(one))))
    }
    const { events } = (await (await fetch(`${ledger.url}/v1/events?limit=1000`)).json()) as { events: Recorded[] }
    recorded = new Map(events.map((event) => [event.position, event]))
  })
  afterAll(async () => {
    await ledger?.stop()
    await database?.drop()
  })

  /** In binary mode the body is the data, whatever it is: JSON, a page of HTML, nothing. */
  const post = async (answer: CapturedAnswer, frame: string, own: Readonly<Record<string, string>>): Promise<Posted> => {
    const attributes = { specversion: '1.0', source: 'urn:captures', time: '2026-11-29T21:05:00Z', ...own, ...answer.attributes }
    const headers = Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`ce-${name}`, value]))
    const response = await fetch(`${ledger.url}/v1/events`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: frame,
    })
    const { results } = (await response.json()) as { results?: [Posted['result']] }
    return { answer, frame, status: response.status, result: results?.[0] ?? { outcome: 'rejected' } }
  }

  const recordOf = ({ result: { position } }: Posted): Recorded | undefined =>
    position === undefined ? undefined : recorded.get(position)

  test('every one is recorded, none with an HTTP 5xx and none in quarantine', () => {
    const wrong = posted.filter(({ status, result }) => status !== 200 || result.outcome !== 'recorded')
    expect(wrong.map(({ answer, status, result }) => ({ file: answer.file, status, result }))).toEqual([])
    expect(new Set(posted.map(({ answer }) => answer.file)).size).toBe(capturedAnswers.length)
  })

  test('the bytes are kept as they came, but for tokens that are overwritten (L9, L10)', async () => {
    const digestOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`
    const changed = posted.filter((one) => recordOf(one)?.digest !== digestOf(one.frame))
    for (const { answer, frame, result } of changed) {
      const raw = await (await fetch(`${ledger.url}/v1/events/${result.position}/data`)).text()
      const isOverwritten = raw.length === frame.length && raw.split('').every((char, at) => char === frame[at] || char === '*')
      expect({ file: answer.file, isOverwritten, hasToken: frame.includes('"token"') }).toEqual({
        file: answer.file, isOverwritten: true, hasToken: true,
      })
    }
  })

  test('each not-found is as strong as its question makes it, and no other error is strong (F6)', () => {
    const errors = posted.flatMap((one) => {
      const error = recordOf(one)?.canonical.error
      return error === undefined ? [] : [{ ...error, file: one.answer.file, operation: one.answer.operation }]
    })
    const wrong = errors.filter(({ name, evidence, operation }) =>
      name === 'TaskNotFound' ? evidence !== evidenceOfNotFound(operation) : evidence === 'strong',
    )
    expect(wrong).toEqual([])
    const asked = new Set(errors.flatMap(({ name, operation }) => (name === 'TaskNotFound' ? [operation] : [])))
    expect([...asked]).toEqual(expect.arrayContaining(['GetTask', 'SendMessage', 'SubscribeToTask', 'CancelTask']))
  })

  test('a webhook takes every push, and the same push again, as one event', async () => {
    const pushes = capturedAnswers.filter(({ operation }) => operation === 'Push')
    const deliver = async ({ body, file }: CapturedAnswer) => {
      const url = `${ledger.url}/v1/push/webhook-${encodeURIComponent(file)}/captured-push`
      return (await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).status
    }
    const headBefore = await headOf(ledger)
    const statuses = [...(await Promise.all(pushes.map(deliver))), ...(await Promise.all(pushes.map(deliver)))]
    expect(new Set(statuses)).toEqual(new Set([204]))
    expect((await headOf(ledger)) - headBefore).toBe(pushes.length)
  })
})

const headOf = async (ledger: ServiceProcess): Promise<number> =>
  ((await (await fetch(`${ledger.url}/readyz`)).json()) as { head: number }).head
