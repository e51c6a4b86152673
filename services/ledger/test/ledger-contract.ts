/**
 * What every store behind `Ledger` and `LedgerReader` promises (L1–L14), seen through the two ports
 * alone. A store runs it by calling `describeLedgerContract` with a way to open an empty ledger.
 */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AppendOutcome, IncomingEvent, Ledger, LedgerReader, RecordedEvent } from '../src/app/ports.ts'
import { incoming, message, task, type Sent } from './incoming.ts'

export interface ContractLedger {
  readonly ledger: Ledger
  readonly reader: LedgerReader
  readonly end: () => Promise<void>
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const digestOf = (data: Uint8Array): string => `sha256:${createHash('sha256').update(data).digest('hex')}`

let workerCount = 0
/** Ids that no other test uses, as every test shares one ledger. */
const fresh = (): { worker: string; k: (name: string) => string } => {
  const worker = `w-${(workerCount += 1)}`
  return { worker, k: (name) => `${name}-${worker}` }
}

export function describeLedgerContract(name: string, open: () => Promise<ContractLedger>): void {
  describe(`${name} keeps the ledger's contract`, () => {
    let opened: ContractLedger
    beforeAll(async () => {
      opened = await open()
    })
    afterAll(() => opened.end())

    const append = (...events: readonly IncomingEvent[]): Promise<readonly AppendOutcome[]> => opened.ledger.append(events)
    const appendOne = async (sent: Sent): Promise<AppendOutcome> => {
      const [outcome] = await append(incoming(sent))
      if (outcome === undefined) throw new TypeError('An append of one has no outcome.')
      return outcome
    }
    const recorded = async (sent: Sent): Promise<number> => {
      const outcome = await appendOne(sent)
      expect(outcome).toMatchObject({ outcome: 'recorded' })
      return outcome.outcome === 'recorded' ? outcome.position : 0
    }
    const read = async (position: number): Promise<RecordedEvent> => {
      const event = await opened.reader.event(position)
      if (event === undefined) throw new TypeError(`No event at ${position}.`)
      return event
    }
    const stream = (correlationId: string): Promise<readonly RecordedEvent[]> => opened.reader.events({ correlationId }, 0, 1000)

    describe('reading', () => {
      test('every attribute comes back as it was sent, with what was understood', async () => {
        const { worker, k } = fresh()
        const sent = incoming({
          workerid: worker, correlationid: k('k'), taskid: 't-1', time: '2026-11-01T10:00:00.123+02:00', scope: 'tenant a',
          traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', myextension: 'Grüße 🙂 \\ "quoted"',
        })
        await append(sent)
        const [event] = await stream(k('k'))
        expect(event).toMatchObject({
          attributes: sent.attributes,
          rung: 'explicit',
          derivedFrom: undefined,
          canonical: { kind: 'task', taskId: 't-1', contextId: 'c-1', state: 'working' },
          data: Buffer.from(sent.data ?? []),
          digest: digestOf(sent.data ?? bytes('')),
        })
      })

      test('filters narrow together, pages follow on, order is that of positions', async () => {
        const { worker, k } = fresh()
        for (const id of ['a', 'b', 'c']) await append(incoming({ workerid: worker, correlationid: k('k'), taskid: 't', data: task('t', 'TASK_STATE_WORKING', { metadata: { id } }) }))
        await append(incoming({ type: 'a2a.dispatch', operation: 'SendMessage', workerid: worker, correlationid: k('k'), data: message('m') }))
        await append(incoming({ workerid: worker, correlationid: k('other'), taskid: 'o', data: task('o') }))
        const { reader } = opened
        const all = await reader.events({ correlationId: k('k') }, 0, 10)
        expect(all.map(({ attributes }) => attributes.type)).toEqual(['a2a.response', 'a2a.response', 'a2a.response', 'a2a.dispatch'])
        const page = await reader.events({ correlationId: k('k') }, all[0]?.position ?? 0, 2)
        expect(page.map(({ position }) => position)).toEqual([all[1]?.position, all[2]?.position])
        expect(await reader.events({ workerId: worker }, 0, 10)).toHaveLength(5)
        expect(await reader.events({ workerId: worker, type: 'a2a.dispatch' }, 0, 10)).toHaveLength(1)
        expect(await reader.events({ type: 'a2a.dispatch', correlationId: k('other') }, 0, 10)).toEqual([])
      })

      test('a position without an event is undefined', async () => {
        expect(await opened.reader.event(9_999_999)).toBeUndefined()
      })

      test('an event without data is read back with no bytes', async () => {
        const { worker } = fresh()
        const [outcome] = await append({ ...incoming({ type: 'a2a.worker-restarted', operation: undefined, workerid: worker }), data: undefined })
        expect(outcome).toMatchObject({ outcome: 'recorded', correlationId: `~${worker}` })
        const [event] = await stream(`~${worker}`)
        expect(event?.data).toHaveLength(0)
      })
    })

    describe('L2: once', () => {
      test('the same again is a duplicate of the recorded position', async () => {
        const event = incoming({ correlationid: fresh().k('k'), taskid: 't' })
        const [first] = await append(event)
        expect(await append(event)).toEqual([{ ...first, outcome: 'duplicate' }])
      })

      test('the same twice in one batch is one event and a duplicate', async () => {
        const event = incoming({ correlationid: fresh().k('k'), taskid: 't' })
        const [first, second] = await append(event, event)
        expect(first).toMatchObject({ outcome: 'recorded' })
        expect(second).toEqual({ ...first, outcome: 'duplicate' })
      })

      const same: readonly (readonly [string, Sent, Sent])[] = [
        ['the same JSON value in other bytes', { data: '{"id":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}' }, { data: '{ "status": {"state":"TASK_STATE_\\u0057ORKING"},\n "contextId":"c", "id":"t" }' }],
        ['another trace', { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }, {}],
        ['a default spelled out', {}, { datacontenttype: 'application/json' }],
      ]
      test.each(same)('%s is a duplicate', async (_, one, other) => {
        const { worker, k } = fresh()
        const envelope = { id: k('e'), workerid: worker, correlationid: k('k'), taskid: 't', data: task('t') }
        await recorded({ ...envelope, ...one })
        expect(await appendOne({ ...envelope, ...other })).toMatchObject({ outcome: 'duplicate' })
        const [, second] = await append(incoming({ ...envelope, id: k('f'), ...one }), incoming({ ...envelope, id: k('f'), ...other }))
        expect(second).toMatchObject({ outcome: 'duplicate' })
      })

      const different: readonly (readonly [string, Sent, readonly string[]])[] = [
        ['other data', { data: task('t', 'TASK_STATE_COMPLETED') }, ['data']],
        ['a number a double would round to the same', { data: '{"id":"t","contextId":"c-1","status":{"state":"TASK_STATE_WORKING"},"metadata":{"n":9007199254740993}}' }, ['data']],
        ['another status', { httpstatus: '202' }, ['httpstatus']],
        ['another scope', { scope: 'tenant-b' }, ['scope']],
        ['another time', { time: '2026-11-01T10:00:01Z' }, ['time']],
        ['another correlation ID', { correlationid: 'another' }, ['correlationid']],
        ['several at once', { binding: 'GRPC', operation: 'CancelTask', data: task('t', 'TASK_STATE_CANCELED') }, ['operation', 'binding', 'data']],
      ]
      test.each(different)('%s under one key is a conflict that names it', async (_, other, differsIn) => {
        const { worker, k } = fresh()
        const envelope: Sent = {
          id: k('e'), workerid: worker, correlationid: k('k'), taskid: 't', httpstatus: '200', scope: 'tenant-a', time: '2026-11-01T10:00:00Z', binding: 'HTTP+JSON',
          data: '{"id":"t","contextId":"c-1","status":{"state":"TASK_STATE_WORKING"},"metadata":{"n":9007199254740992}}',
        }
        await recorded(envelope)
        const conflict = await appendOne({ ...envelope, data: envelope.data, ...other })
        expect(conflict).toMatchObject({ outcome: 'conflict', differsIn })
        const kept = await opened.reader.quarantinedInput(conflict.outcome === 'conflict' ? conflict.quarantineId : '')
        expect(kept).toMatchObject({ reason: 'conflict', via: 'http', source: 'urn:test:witness', bytes: Buffer.from(incoming({ ...envelope, ...other }).data ?? []) })
        expect(await stream(k('k'))).toHaveLength(1)
        expect(await appendOne({ ...envelope, ...other }), 'sent again').toEqual(conflict)
        const [, inBatch] = await append(incoming({ ...envelope, id: k('f') }), incoming({ ...envelope, id: k('f'), ...other }))
        expect(inBatch).toMatchObject({ outcome: 'conflict', differsIn })
      })

      test('V4: a second decision under one key gets the first back, whatever it says', async () => {
        const { k } = fresh()
        const decision = { via: 'internal', type: 'reconciler.verdict', id: k('d'), correlationid: k('k') } as const
        const position = await recorded({ ...decision, data: { kind: 'redispatch' } })
        expect(await appendOne({ ...decision, data: { kind: 'unreconcilable' } })).toMatchObject({ outcome: 'duplicate', position })
      })

      test('V4: no caller can take the key of a decision', async () => {
        const { k } = fresh()
        await recorded({ id: k('d'), source: 'urn:a2a-ledger:reconciler', correlationid: k('k'), taskid: 't' })
        await recorded({ via: 'internal', id: k('d'), source: 'urn:a2a-ledger:reconciler', type: 'reconciler.verdict', correlationid: k('k'), data: { kind: 'redispatch' } })
      })
    })

    describe('L3: lengths', () => {
      const long = '🙂ü'.repeat(512)
      test('ids of 1,024 characters outside ASCII are recorded, found and deduplicated', async () => {
        const event = incoming({ id: `${long.slice(3)}a`, source: `${long.slice(3)}b`, workerid: `${long.slice(3)}w`, correlationid: `${long.slice(3)}k`, taskid: long, data: task(long) })
        const [first] = await append(event)
        expect(first).toMatchObject({ outcome: 'recorded' })
        expect(await append(event)).toMatchObject([{ outcome: 'duplicate' }])
        expect(await stream(`${long.slice(3)}k`)).toMatchObject([{ attributes: event.attributes }])
        expect(await appendOne({ workerid: `${long.slice(3)}w`, taskid: long, data: task(long) })).toMatchObject({ correlationId: `${long.slice(3)}k` })
      })

      test('an event of 8 MiB is recorded byte for byte', async () => {
        const { k } = fresh()
        const data = bytes(JSON.stringify(task('t', 'TASK_STATE_WORKING', { metadata: { blob: 'x'.repeat(8_388_608 - 200) } })))
        const position = await recorded({ correlationid: k('k'), taskid: 't', data })
        expect((await read(position)).digest).toBe(digestOf(data))
      })
    })

    describe('L4: positions', () => {
      test('are dense over everything that is recorded, and over nothing else', async () => {
        const { worker, k } = fresh()
        const { head } = await opened.reader.identity()
        const event = incoming({ workerid: worker, correlationid: k('k'), taskid: 't', data: task('t') })
        await append(event, event, incoming({ type: 'no.such.type' }), incoming({ workerid: worker, correlationid: k('k'), taskid: 't', data: task('t', 'TASK_STATE_COMPLETED') }))
        expect((await opened.reader.events({}, head, 10)).map(({ position }) => position)).toEqual([head + 1, head + 2])
        expect((await opened.reader.identity()).head).toBe(head + 2)
      })

      test('times never decrease along them', async () => {
        const events = await opened.reader.events({}, 0, 1000)
        const times = events.map(({ recordedAtMs }) => recordedAtMs)
        expect(times).toEqual(times.toSorted((one, other) => one - other))
      })
    })

    describe('L9: bytes', () => {
      const shown = (inner: string): string => `{"id":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"},"metadata":{${inner}}}`
      test.each([
        ['escaped NUL', shown('"a":"x\\u0000y"')],
        ['a backslash that escapes no NUL', shown('"a":"x\\\\u0000y"')],
        ['both', shown('"a":"x\\\\\\u0000y"')],
        ['half a surrogate pair', shown('"a":"\\ud83d emoji \\udE00"')],
        ['a duplicate key', shown('"k":"v1","k":"v2"')],
        ['numbers beyond 2^53', shown('"n":3364326223160287232,"m":3.364326223160287e+18')],
        ['odd spacing', `\t ${shown('  "a" :\r\n 1')}\n\n`],
        ['tabs, newlines and backslashes of COPY', shown('"a":"\\\\N \\\\. \\t \\n"')],
      ])('%s is kept as received', async (_, data) => {
        const { k } = fresh()
        const position = await recorded({ correlationid: k('k'), taskid: 't', data })
        const event = await read(position)
        expect(Buffer.from(event.data ?? []).toString()).toBe(data)
        expect(event.digest).toBe(digestOf(bytes(data)))
      })
    })

    describe('L10: credentials', () => {
      const config = { configuration: { taskPushNotificationConfig: { url: 'https://o.example.com/hook', token: 'tök-1', authentication: { scheme: 'Bearer', credentials: 'cred-1' } } } }

      test('are overwritten in what is recorded, and noted', async () => {
        const { worker, k } = fresh()
        const position = await recorded({ type: 'a2a.dispatch', operation: 'SendMessage', workerid: worker, correlationid: k('k'), data: { ...message('m'), ...config } })
        const { data, canonical, digest } = await read(position)
        const text = Buffer.from(data ?? []).toString()
        expect(text).not.toMatch(/tök-1|cred-1/)
        expect(text).toContain('"******"')
        expect(digest).toBe(digestOf(data ?? bytes('')))
        expect(canonical.notes).toContain('credentials_redacted')
      })

      test('are overwritten in what is quarantined', async () => {
        const { worker, k } = fresh()
        const outcome = await appendOne({ type: 'a2a.dispatch', operation: 'SendMessage', workerid: worker, correlationid: `~${k('k')}`, data: { ...message('m'), ...config } })
        expect(outcome).toMatchObject({ outcome: 'quarantined', reason: 'reserved_id' })
        const kept = await opened.reader.quarantinedInput(outcome.outcome === 'quarantined' ? outcome.quarantineId : '')
        expect(Buffer.from(kept?.bytes ?? []).toString()).not.toMatch(/tök-1|cred-1/)
      })

      const trusted = (worker: string, presented: readonly string[], more: { taskId?: string; correlationId?: string } = {}): Promise<boolean> =>
        opened.ledger.isPushTrusted({ workerId: worker, taskId: more.taskId, correlationId: more.correlationId, presented })

      test('of a send let in the pushes of its task alone', async () => {
        const { worker, k } = fresh()
        await append(
          incoming({ type: 'a2a.dispatch', operation: 'SendMessage', workerid: worker, correlationid: k('k1'), data: { ...message('m-1'), ...config } }),
          incoming({ operation: 'SendMessage', workerid: worker, correlationid: k('k1'), data: { result: { task: task('t-1') } } }),
          incoming({ type: 'a2a.dispatch', operation: 'SendMessage', workerid: worker, correlationid: k('k2'), data: { ...message('m-2'), configuration: { taskPushNotificationConfig: { url: 'https://o.example.com/hook', token: 'other' } } } }),
          incoming({ operation: 'SendMessage', workerid: worker, correlationid: k('k2'), data: { result: { task: task('t-2') } } }),
        )
        expect(await trusted(worker, ['tök-1'], { taskId: 't-1' })).toBe(true)
        expect(await trusted(worker, ['wrong', 'cred-1'], { taskId: 't-1' })).toBe(true)
        expect(await trusted(worker, ['cred-1'], { correlationId: k('k1') })).toBe(true)
        expect(await trusted(worker, [], { taskId: 't-1' })).toBe(false)
        expect(await trusted(worker, ['******'], { taskId: 't-1' })).toBe(false)
        expect(await trusted(worker, ['other'], { taskId: 't-1' })).toBe(false)
        expect(await trusted(worker, ['other'], { taskId: 't-1', correlationId: k('k2') }), 'the URL of another task').toBe(false)
        expect(await trusted(worker, [], { taskId: 't-9' }), 'nothing was configured').toBe(true)
        expect(await trusted(fresh().worker, [], { taskId: 't-1' }), 'another worker').toBe(true)
      })

      test('of an answer about a configuration let in the pushes of its task', async () => {
        const { worker } = fresh()
        await recorded({ operation: 'CreateTaskPushNotificationConfig', workerid: worker, taskid: 't-1', data: { result: { taskId: 't-1', url: 'https://o.example.com/hook', token: 'tok-c' } } })
        expect(await trusted(worker, ['tok-c'], { taskId: 't-1' })).toBe(true)
        expect(await trusted(worker, [], { taskId: 't-1' })).toBe(false)
      })

      test('of an enrolment let in every push of the worker, and cannot be read back', async () => {
        const { worker } = fresh()
        const position = await recorded({ via: 'internal', type: 'reconciler.worker-enrolled', operation: undefined, workerid: worker, data: { mesh: 'm', push: { token: 'enrolled' } } })
        expect(await trusted(worker, ['enrolled'], { taskId: 'any' })).toBe(true)
        expect(await trusted(worker, ['wrong'], {})).toBe(false)
        expect(Buffer.from((await read(position)).data ?? []).toString()).toBe('{"mesh":"m","push":{"token":"********"}}')
      })
    })

    describe('L11: quarantine', () => {
      test.each<[string, Sent, string]>([
        ['a reserved type', { type: 'reconciler.verdict' }, 'reserved_type'],
        ['an unknown type', { type: 'a2a.gossip' }, 'unknown_type'],
        ['a reserved correlation ID in the envelope', { correlationid: '~w/t' }, 'reserved_id'],
        ['a reserved correlation ID in the metadata', { data: task('t', 'TASK_STATE_WORKING', { metadata: { 'urn:a2a-ledger:task-continuity:v1': { correlationId: '~w/t' } } }) }, 'reserved_id'],
        ['data that is no JSON', { data: '{"id":' }, 'data_malformed'],
        ['data that is not UTF-8', { data: new Uint8Array([0x22, 0xff, 0x22]) }, 'data_malformed'],
        ['data nested 1,000 deep', { data: `${'['.repeat(1000)}${']'.repeat(1000)}` }, 'data_malformed'],
        ['a foreign body', { type: 'a2a.task', data: { foo: 'bar' } }, 'data_foreign'],
        ['an attribute with NUL in it', { scope: 'a\u0000b' }, 'attribute_invalid'],
        ['an attribute with half a surrogate pair', { scope: 'a\ud83d' }, 'attribute_invalid'],
      ])('%s is kept whole, with the reason, under one id', async (_, sent, reason) => {
        const event = incoming({ taskid: 't', ...sent })
        const [outcome] = await append(event)
        expect(outcome).toMatchObject({ outcome: 'quarantined', reason })
        expect(await append(event)).toEqual([outcome])
        const kept = await opened.reader.quarantinedInput(outcome?.outcome === 'quarantined' ? outcome.quarantineId : '')
        expect(kept).toMatchObject({ reason, via: 'http', bytes: Buffer.from(event.data ?? []), attributes: event.attributes, replayedAs: undefined })
      })

      test('entries come in order of arrival, behind a given one, by reason', async () => {
        const ids: string[] = []
        for (const text of ['one', 'two', 'three']) {
          const { quarantineId } = await opened.ledger.quarantine({ reason: 'untrusted', detail: 'no token', via: 'push', source: 'urn:w', bytes: bytes(text), headers: { 'user-agent': 'a2a' }, attributes: undefined })
          ids.push(quarantineId)
        }
        const entries = await opened.reader.quarantined(ids[0], 10, 'untrusted')
        expect(entries.map(({ id, byteCount, via }) => ({ id, byteCount, via }))).toEqual([
          { id: ids[1], byteCount: 3, via: 'push' },
          { id: ids[2], byteCount: 5, via: 'push' },
        ])
        expect(await opened.reader.quarantined(undefined, 1, 'untrusted')).toMatchObject([{ id: ids[0] }])
        expect(await opened.reader.quarantined(undefined, 1000, undefined)).toEqual(expect.arrayContaining([expect.objectContaining({ reason: 'reserved_type' })]))
      })

      test('a replay records what can be read after all, and the entry says so', async () => {
        const { worker, k } = fresh()
        const { attributes, data } = incoming({ workerid: worker, correlationid: k('k'), taskid: 't', data: task('t') })
        const { quarantineId } = await opened.ledger.quarantine({ reason: 'untrusted', detail: '', via: 'push', source: attributes.source, bytes: data ?? bytes(''), headers: {}, attributes })
        const outcome = await opened.ledger.replay(quarantineId)
        expect(outcome).toMatchObject({ outcome: 'recorded', correlationId: k('k') })
        expect(await opened.ledger.replay(quarantineId)).toEqual({ ...outcome, outcome: 'duplicate' })
        expect(await opened.reader.quarantinedInput(quarantineId)).toMatchObject({ replayedAs: outcome?.outcome === 'recorded' ? outcome.position : 0 })
      })

      test.each([
        ['JSON that was cut off', '{"jsonrpc":"2.0","result":{"url":"https://x","token":"tok-1","authentication":{"credentials":"cred-1', /tok-1|cred-1/],
        ['a header dump', 'GET / HTTP/1.1\r\nAuthorization: Bearer tok-1\r\nHost: x', /tok-1/],
        ['text that is no UTF-8', Buffer.from([...Buffer.from('password=tok-1'), 0xe9, 0x28]), /tok-1/],
      ])('%s keeps no credential in quarantine (L10)', async (_fact, data, secret) => {
        const outcome = await appendOne({ data })
        expect(outcome).toMatchObject({ outcome: 'quarantined', reason: 'data_malformed' })
        const kept = await opened.reader.quarantinedInput(outcome.outcome === 'quarantined' ? outcome.quarantineId : '')
        expect(kept?.bytes).toHaveLength(Buffer.from(data).length)
        expect(Buffer.from(kept?.bytes ?? []).toString('latin1')).not.toMatch(secret)
        expect(await appendOne({ data })).toMatchObject({ outcome: 'quarantined' })
      })

      test('a replay of what still cannot be read keeps its id', async () => {
        const outcome = await appendOne({ type: 'a2a.gossip' })
        const quarantineId = outcome.outcome === 'quarantined' ? outcome.quarantineId : ''
        expect(await opened.ledger.replay(quarantineId)).toEqual({ outcome: 'quarantined', quarantineId, reason: 'unknown_type', detail: expect.stringContaining('a2a.gossip') })
      })

      test('a replay of nothing is undefined', async () => {
        expect(await opened.ledger.replay('nothing')).toBeUndefined()
      })
    })

    describe('L13, K5: growth', () => {
      const listing = (worker: string, id: string, time: string, states: Record<string, string>): IncomingEvent =>
        incoming({ id, workerid: worker, operation: 'ListTasks', time, scope: 'tenant-a', instance: 'i-1', data: { result: { tasks: Object.entries(states).map(([taskId, state]) => task(taskId, state)) } } })

      test('an answer about many tasks is evidence about the worker, and one observation a task', async () => {
        const { worker, k } = fresh()
        await recorded({ workerid: worker, correlationid: k('k'), taskid: 't-1', data: task('t-1') })
        const [outcome] = await append(listing(worker, 'l-1', '2026-11-01T10:00:00Z', { 't-1': 'TASK_STATE_COMPLETED', 't-2': 'TASK_STATE_WORKING' }))
        expect(outcome).toMatchObject({ outcome: 'recorded', correlationId: `~${worker}` })
        const position = outcome?.outcome === 'recorded' ? outcome.position : 0
        expect(await read(position)).toMatchObject({ canonical: { kind: 'task-list', tasks: [{ taskId: 't-1', state: 'completed' }, { taskId: 't-2', state: 'working' }] } })
        expect(await read(position + 1)).toMatchObject({
          correlationId: k('k'), rung: 'task-link', derivedFrom: position, canonical: { kind: 'task', state: 'completed' },
          attributes: { id: 'l-1#1', source: 'urn:test:witness', type: 'a2a.task', taskid: 't-1', operation: 'ListTasks', time: '2026-11-01T10:00:00Z', scope: 'tenant-a', instance: 'i-1', workerid: worker },
        })
        expect(await read(position + 2)).toMatchObject({ correlationId: `~${worker}/t-2`, derivedFrom: position })
      })

      test('a task listed again gets an event when it changed, or a minute after its last sign of life', async () => {
        const { worker } = fresh()
        const derived = async (): Promise<readonly string[]> =>
          (await opened.reader.events({ workerId: worker }, 0, 100)).filter(({ derivedFrom }) => derivedFrom !== undefined).map(({ attributes: { id } }) => id)
        await append(listing(worker, 'a', '2026-11-01T10:00:00Z', { 't-1': 'TASK_STATE_WORKING', 't-2': 'TASK_STATE_WORKING' }))
        await append(listing(worker, 'b', '2026-11-01T10:00:30Z', { 't-1': 'TASK_STATE_WORKING', 't-2': 'TASK_STATE_COMPLETED' }))
        expect(await derived()).toEqual(['a#1', 'a#2', 'b#2'])
        await append(listing(worker, 'c', '2026-11-01T10:01:01Z', { 't-1': 'TASK_STATE_WORKING', 't-2': 'TASK_STATE_COMPLETED' }))
        expect(await derived()).toEqual(['a#1', 'a#2', 'b#2', 'c#1'])
        await append(incoming({ type: 'a2a.worker-restarted', operation: undefined, workerid: worker, data: {} }))
        await append(listing(worker, 'd', '2026-11-01T10:01:02Z', { 't-1': 'TASK_STATE_WORKING', 't-2': 'TASK_STATE_COMPLETED' }))
        expect(await derived(), 'after a restart').toEqual(['a#1', 'a#2', 'b#2', 'c#1', 'd#1', 'd#2'])
      })

      test('the answer to a send or to GetTask counts as the last sign of life: a bare listing repeats it in vain for a minute', async () => {
        const { worker, k } = fresh()
        const derived = async (): Promise<readonly string[]> =>
          (await opened.reader.events({ workerId: worker }, 0, 100)).filter(({ derivedFrom }) => derivedFrom !== undefined).map(({ attributes: { id } }) => id)
        await recorded({ workerid: worker, correlationid: k('k'), type: 'a2a.response', operation: 'SendMessage', time: '2026-11-01T10:00:00Z', data: { result: { task: task('t-1') } } })
        await append(listing(worker, k('b'), '2026-11-01T10:00:30Z', { 't-1': 'TASK_STATE_WORKING' }))
        expect(await derived()).toEqual([])
        await recorded({ workerid: worker, taskid: 't-1', type: 'a2a.response', operation: 'GetTask', time: '2026-11-01T10:00:50Z', data: { result: task('t-1') } })
        await append(listing(worker, k('c'), '2026-11-01T10:01:40Z', { 't-1': 'TASK_STATE_WORKING' }))
        expect(await derived()).toEqual([])
        await append(listing(worker, k('d'), '2026-11-01T10:01:51Z', { 't-1': 'TASK_STATE_WORKING' }))
        await append(listing(worker, k('e'), '2026-11-01T10:01:52Z', { 't-1': 'TASK_STATE_COMPLETED' }))
        expect(await derived()).toEqual([`${k('d')}#1`, `${k('e')}#1`])
      })

      test('the body of a stream is recorded once, and each event of it, whatever it repeats, as one of its own', async () => {
        const { worker, k } = fresh()
        const sse = (data: object): string => `data: ${JSON.stringify(data)}\n\n`
        const update = sse({ statusUpdate: { taskId: 't-1', contextId: 'c-1', status: { state: 'TASK_STATE_WORKING' } } })
        const config = sse({ message: { role: 'ROLE_AGENT', messageId: 'a-1', parts: [{ text: 'token: kept' }], metadata: { headers: { Authorization: 'Bearer x' } } } })
        const position = await recorded({ id: k('s'), workerid: worker, correlationid: k('k'), operation: 'SendStreamingMessage', data: `: hello\n\n${update}${update}${config}` })
        expect(await read(position)).toMatchObject({ correlationId: `~${worker}`, canonical: { kind: 'task-list' } })
        const events = await stream(k('k'))
        expect(events.map(({ derivedFrom, attributes: { id, sequence, streamid } }) => ({ derivedFrom, id, sequence, streamid }))).toEqual(
          ['1', '2', '3'].map((sequence) => ({ derivedFrom: position, id: `${k('s')}#${sequence}`, sequence, streamid: k('s') })),
        )
        for (const event of [await read(position), events[2]]) {
          const text = Buffer.from(event?.data ?? []).toString()
          expect(text).toContain('token: kept')
          expect(text).toContain('"Authorization":"********"')
        }
      })

      test('no caller can take the key of a derived observation', async () => {
        const { worker } = fresh()
        await recorded({ id: 'forged#1', workerid: worker, taskid: 't-1', data: task('t-1') })
        const [outcome] = await append(listing(worker, 'forged', '2026-11-01T10:00:00Z', { 't-1': 'TASK_STATE_WORKING' }))
        const position = outcome?.outcome === 'recorded' ? outcome.position : 0
        expect(await read(position + 1)).toMatchObject({ derivedFrom: position, attributes: { id: 'forged#1' } })
      })
    })

    describe('L14: decisions', () => {
      test('on the newest of their stream are recorded, on less they are stale and not kept', async () => {
        const { worker, k } = fresh()
        const position = await recorded({ workerid: worker, correlationid: k('k'), taskid: 't', data: task('t') })
        const decision = { via: 'internal', type: 'reconciler.verdict', correlationid: k('k'), data: { kind: 'redispatch' } } as const
        const newest = await recorded({ ...decision, ifStreamPosition: position })
        const before = await opened.reader.identity()
        expect(await appendOne({ ...decision, ifStreamPosition: position })).toEqual({ outcome: 'stale', position: newest })
        expect(await opened.reader.identity()).toEqual(before)
      })

      test('a decision sent again is a duplicate before it is stale', async () => {
        const { worker, k } = fresh()
        const position = await recorded({ workerid: worker, correlationid: k('k'), taskid: 't', data: task('t') })
        const decision = { via: 'internal', type: 'reconciler.verdict', id: k('d'), correlationid: k('k'), data: { kind: 'redispatch' }, ifStreamPosition: position } as const
        await recorded(decision)
        expect(await appendOne(decision)).toMatchObject({ outcome: 'duplicate' })
      })

      test('a condition from outside is none', async () => {
        const { k } = fresh()
        await recorded({ correlationid: k('k'), taskid: 't' })
        await recorded({ correlationid: k('k'), taskid: 't', ifStreamPosition: 0 })
      })
    })

    describe('K6: a link learned later', () => {
      test('is recorded, and the synthetic stream is read with the task from then on', async () => {
        const { worker, k } = fresh()
        const push = await recorded({ operation: 'Push', workerid: worker, type: 'a2a.task', data: task('t-1') })
        await recorded({ type: 'a2a.dispatch', operation: 'SendMessage', workerid: worker, correlationid: k('k'), data: message('m-1') })
        const answer = await recorded({ operation: 'SendMessage', workerid: worker, correlationid: k('k'), data: { result: { task: task('t-1', 'TASK_STATE_SUBMITTED') } } })
        const events = await stream(k('k'))
        expect(events.map(({ position }) => position)).toEqual([push, answer - 1, answer, answer + 1])
        const linked = events.at(-1)
        expect(linked).toMatchObject({ attributes: { type: 'ledger.correlation-linked', source: 'urn:a2a-ledger:ledger', correlationid: k('k'), workerid: worker, taskid: 't-1' }, correlationId: k('k') })
        expect(JSON.parse(Buffer.from(linked?.data ?? []).toString())).toEqual({ from: `~${worker}/t-1`, to: k('k'), workerId: worker, taskId: 't-1', because: answer })
        expect((await stream(`~${worker}/t-1`)).map(({ position }) => position)).toEqual([push])
      })
    })

    describe('K6: a link that a person makes', () => {
      const byHand = (kind: 'linked' | 'unlinked', worker: string, to: string): Sent => ({
        via: 'internal', type: `ledger.correlation-${kind}`, operation: undefined, workerid: worker, taskid: 't-1', correlationid: to,
        data: { from: `~${worker}/t-1`, to, workerId: worker, taskId: 't-1', by: 'ann' },
      })
      const typesOf = async (correlationId: string) => (await stream(correlationId)).map(({ attributes }) => attributes.type)

      test('covers what comes later too, and once undone nothing of it is left in the task', async () => {
        const { worker, k } = fresh()
        const synthetic = `~${worker}/t-1`
        await recorded({ workerid: worker })
        await recorded(byHand('linked', worker, k('k')))
        expect(await appendOne({ workerid: worker })).toMatchObject({ outcome: 'recorded', correlationId: synthetic })
        expect(await typesOf(k('k'))).toEqual(['a2a.response', 'ledger.correlation-linked', 'a2a.response'])
        await recorded(byHand('unlinked', worker, k('k')))
        await recorded({ workerid: worker })
        expect(await typesOf(k('k'))).toEqual(['ledger.correlation-linked', 'ledger.correlation-unlinked'])
        expect(await typesOf(synthetic)).toEqual(['a2a.response', 'a2a.response', 'a2a.response'])
        await recorded(byHand('linked', worker, k('other')))
        expect(await typesOf(k('other'))).toHaveLength(4)
      })

      test('is one at a time, and only what is linked can be undone', async () => {
        const { worker, k } = fresh()
        await recorded({ workerid: worker })
        expect(await appendOne(byHand('unlinked', worker, k('k')))).toEqual({ outcome: 'stale', position: 0 })
        const position = await recorded(byHand('linked', worker, k('k')))
        expect(await appendOne(byHand('linked', worker, k('other')))).toEqual({ outcome: 'stale', position })
        expect(await appendOne(byHand('unlinked', worker, k('other')))).toEqual({ outcome: 'stale', position })
      })

      test('makes a decision on either stream stale that was based on less', async () => {
        const { worker, k } = fresh()
        const position = await recorded({ workerid: worker })
        const linked = await recorded(byHand('linked', worker, k('k')))
        const decide = (correlationid: string) => appendOne({ via: 'internal', type: 'reconciler.verdict', correlationid, data: {}, ifStreamPosition: position })
        expect([await decide(`~${worker}/t-1`), await decide(k('k'))]).toEqual(Array(2).fill({ outcome: 'stale', position: linked }))
        const later = await recorded({ workerid: worker })
        expect(await appendOne({ via: 'internal', type: 'reconciler.verdict', correlationid: k('k'), data: {}, ifStreamPosition: linked })).toEqual({ outcome: 'stale', position: later })
      })

      test('undone where the ledger had made it, what the link placed goes back with it', async () => {
        const { worker, k } = fresh()
        await recorded({ workerid: worker, type: 'a2a.task', operation: 'Push', data: task('t-1') })
        await recorded({ workerid: worker, correlationid: k('k') })
        expect(await appendOne({ workerid: worker, data: task('t-1', 'TASK_STATE_COMPLETED') })).toMatchObject({ correlationId: k('k') })
        await recorded(byHand('unlinked', worker, k('k')))
        expect(await typesOf(`~${worker}/t-1`)).toEqual(['a2a.task', 'a2a.response'])
        expect(await typesOf(k('k'))).toEqual(['a2a.response', 'ledger.correlation-linked', 'ledger.correlation-unlinked', 'ledger.correlation-moved'])
        await recorded({ workerid: worker, correlationid: k('k') })
        expect(await appendOne({ workerid: worker })).toMatchObject({ correlationId: `~${worker}/t-1` })
        const page = await opened.reader.events({ correlationId: `~${worker}/t-1` }, 0, 1)
        expect((await opened.reader.events({ correlationId: `~${worker}/t-1` }, page[0]?.position ?? 0, 1))[0]?.canonical.state).toBe('completed')
      })
    })

    describe('K1, K2, K3: what comes in another order', () => {
      const send = (worker: string, correlationid: string, messageId: string): Sent => ({ type: 'a2a.dispatch', operation: 'SendMessage', workerid: worker, correlationid, data: message(messageId) })
      const claiming = (worker: string, correlationId: string): Sent => ({
        workerid: worker, data: task('t-1', 'TASK_STATE_WORKING', { metadata: { 'urn:a2a-ledger:task-continuity:v1': { correlationId } } }),
      })
      const positionsOf = async (correlationId: string) => (await stream(correlationId)).map(({ position }) => position)

      test('K1: a claim is taken back when the work turns out to have been sent elsewhere, and comes back when there too', async () => {
        const { worker, k } = fresh()
        const claim = await recorded(claiming(worker, k('k')))
        const poll = await recorded({ workerid: worker })
        expect(await positionsOf(k('k'))).toEqual([claim, poll])
        const sent = await recorded(send(`${worker}-other`, k('k'), 'm-1'))
        expect(await positionsOf(k('k'))).toEqual([sent, sent + 1])
        expect(await positionsOf(`~${worker}/t-1`)).toEqual([claim, poll])
        const moved = await read(sent + 1)
        expect(moved.attributes).toMatchObject({ type: 'ledger.correlation-moved', correlationid: k('k') })
        expect(JSON.parse(Buffer.from(moved.data ?? []).toString())).toEqual({ from: k('k'), to: `~${worker}/t-1`, workerId: worker, taskId: 't-1', since: claim, because: sent })
        const again = await recorded(send(worker, k('k'), 'm-2'))
        expect(await positionsOf(k('k'))).toEqual([claim, poll, sent, sent + 1, again, again + 1])
      })

      test('K2: an answer goes to the send that is recorded after it', async () => {
        const { worker, k } = fresh()
        const before = await recorded({ workerid: worker, correlationid: k('k1') })
        const answer = await recorded({ workerid: worker, operation: 'SendMessage', messageid: 'm-2' })
        const sent = await recorded(send(worker, k('k2'), 'm-2'))
        expect(await positionsOf(k('k1'))).toEqual([before, sent + 1])
        expect(await positionsOf(k('k2'))).toEqual([answer, sent])
        expect(await appendOne({ workerid: worker })).toMatchObject({ correlationId: k('k2') })
      })

      test('K2: another task on the stream of a send is told where the stream is', async () => {
        const { worker, k } = fresh()
        const update = (taskId: string, more: Sent = {}): Sent => ({ type: 'a2a.status-update', operation: 'SendStreamingMessage', workerid: worker, streamid: 's-1', data: { taskId, contextId: 'c', status: { state: 'TASK_STATE_WORKING' } }, ...more })
        await recorded(update('t-1', { correlationid: k('k') }))
        const other = await recorded(update('t-2'))
        expect(await read(other)).toMatchObject({ correlationId: k('k'), rung: 'stream-link' })
        expect(await appendOne({ ...update('t-3'), source: 'urn:test:another-witness' })).toMatchObject({ correlationId: `~${worker}/t-3` })
      })

      test('K3: a message that two had sent by then links nothing, in whatever order they are recorded', async () => {
        const { worker, k } = fresh()
        const at = (second: number): string => `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`
        await recorded({ ...send(worker, k('k1'), 'm'), time: at(1) })
        const snapshot = await recorded({ workerid: worker, messageid: 'm', time: at(20) })
        expect((await read(snapshot)).correlationId).toBe(k('k1'))
        await recorded({ ...send(worker, k('later'), 'm'), time: at(40) })
        expect(await positionsOf(k('k1'))).toContain(snapshot)
        await recorded({ ...send(worker, k('k2'), 'm'), time: at(2) })
        expect(await positionsOf(k('k1'))).not.toContain(snapshot)
        expect(await positionsOf(`~${worker}/t-1`)).toEqual([snapshot])
      })
    })

    describe('K7: the rules of a mesh', () => {
      const decide = (mesh: string, ...correlation: readonly object[]) =>
        recorded({ via: 'internal', type: 'reconciler.mesh-policy', workerid: undefined, operation: undefined, correlationid: '~', data: { mesh, correlation } })
      const enrol = (worker: string, mesh: string) =>
        recorded({ via: 'internal', type: 'reconciler.worker-enrolled', operation: undefined, workerid: worker, correlationid: `~${worker}`, data: { mesh } })
      const ofOrder = (worker: string, order: string): Sent => ({ workerid: worker, data: task('t-1', 'TASK_STATE_WORKING', { metadata: { order } }) })
      const placed = async (sent: Sent) => {
        const { correlationId, rung } = await read(await recorded(sent))
        return { correlationId, rung }
      }

      test('place what comes after them, and the rung that is kept says which', async () => {
        const { worker, k } = fresh()
        await enrol(worker, k('mesh'))
        expect(await placed(ofOrder(worker, k('o-1')))).toEqual({ correlationId: `~${worker}/t-1`, rung: 'synthetic' })
        await decide(k('mesh'), { from: 'metadata', pointer: '/order' })
        const first = await recorded(ofOrder(worker, k('o-1')))
        expect(await read(first)).toMatchObject({ correlationId: k('o-1'), rung: 'metadata' })
        expect((await stream(k('o-1'))).map(({ attributes }) => attributes.type)).toEqual(['a2a.response', 'a2a.response', 'ledger.correlation-linked'])
        expect(await placed({ workerid: worker, data: task('t-1') })).toEqual({ correlationId: k('o-1'), rung: 'task-link' })
      })

      test('are those of the mesh that the worker is in at that position', async () => {
        const { worker, k } = fresh()
        await decide(k('by-attribute'), { from: 'attribute', name: 'xorder' })
        await enrol(worker, k('none'))
        const sent = (id: string): Sent => ({ workerid: worker, taskid: id, xorder: k(id), data: task(id) })
        expect(await placed(sent('t-1'))).toMatchObject({ rung: 'synthetic' })
        await enrol(worker, k('by-attribute'))
        expect(await placed(sent('t-2'))).toEqual({ correlationId: k('t-2'), rung: 'attribute' })
        await decide(k('by-attribute'))
        expect(await placed(sent('t-3'))).toMatchObject({ rung: 'synthetic' })
      })

      test('come with the group that decides them', async () => {
        const { worker, k } = fresh()
        const [, , outcome] = await append(
          incoming({ via: 'internal', type: 'reconciler.mesh-policy', correlationid: '~', data: { mesh: k('mesh'), correlation: [{ from: 'trace' }] } }),
          incoming({ via: 'internal', type: 'reconciler.worker-enrolled', workerid: worker, correlationid: `~${worker}`, data: { mesh: k('mesh') } }),
          incoming({ type: 'a2a.dispatch', operation: 'SendMessage', workerid: worker, traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, data: message('m-1') }),
        )
        expect(outcome).toMatchObject({ outcome: 'recorded', correlationId: 'a'.repeat(32) })
      })

      test('are decided by nobody outside', async () => {
        expect(await appendOne({ type: 'reconciler.mesh-policy', data: { mesh: 'default', correlation: [] } })).toMatchObject({ reason: 'reserved_type' })
      })
    })

    describe('L7: identity', () => {
      test('says which log it is and how long', async () => {
        const { ledgerId, epoch, head } = await opened.reader.identity()
        expect(ledgerId).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
        expect(epoch).toBe(1)
        expect((await opened.reader.events({}, head, 1))).toEqual([])
      })

      test('its token is long and always the same', async () => {
        const token = await opened.reader.internalToken()
        expect(token).toMatch(/^[0-9a-f]{64}$/)
        expect(await opened.reader.internalToken()).toBe(token)
      })
    })

    test('an empty append has no outcomes', async () => {
      expect(await opened.ledger.append([])).toEqual([])
    })
  })
}
