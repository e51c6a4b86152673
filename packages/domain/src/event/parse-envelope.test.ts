import { array, assert, constantFrom, json, property, string, uint8Array } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { testCodec as codec } from '../testing/codec.ts'
import type { EventAttributes } from './envelope.ts'
import { parseBatch, parseBinary, parseStructured, validateAttributes } from './parse-envelope.ts'

const bytes = (text: string): Uint8Array => codec.utf8Encode(text)
const envelope = { specversion: '1.0', id: 'e-1', source: 'urn:test', type: 'a2a.task' } as const

/** The envelope with `members` written into its JSON, as they stand. */
const eventJson = (members: string): string =>
  `{"specversion":"1.0","id":"e-1","source":"urn:test","type":"a2a.task"${members === '' ? '' : `,${members}`}}`

const readOne = (json: string) => {
  const reading = parseStructured(bytes(json), codec)
  if (reading.outcome === 'rejected') throw new Error(reading.detail)
  const [event] = reading.events
  if (event === undefined) throw new Error('no event')
  return event
}

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)

describe('a structured body', () => {
  test.each([
    ['an empty body', '', 'body_malformed', 'empty'],
    ['text', 'hello', 'body_malformed', 'not JSON'],
    ['half an object', '{"id":', 'body_malformed', 'not JSON'],
    ['a byte order mark', '\ufeff{}', 'body_malformed', 'not JSON'],
    ['an array', '[]', 'envelope_invalid', 'application/cloudevents-batch+json'],
  ])('that is %s is refused', (_, body, code, detail) => {
    expect(parseStructured(bytes(body), codec)).toEqual({
      outcome: 'rejected',
      code,
      detail: expect.stringContaining(detail),
    })
  })

  test('that is not UTF-8 is refused', () => {
    const body = Uint8Array.from([...bytes('{"a":"'), 0xff, ...bytes('"}')])
    expect(parseStructured(body, codec)).toMatchObject({ code: 'body_malformed' })
  })

  test.each([
    ['a string', '"x"', 'not a JSON object'],
    ['an object without members', '{}', 'specversion is not "1.0"'],
    ['without an id', '{"specversion":"1.0","source":"s","type":"t"}', 'id is missing'],
    ['with an empty id', '{"specversion":"1.0","id":"","source":"s","type":"t"}', 'id is empty'],
    ['with an id of null', '{"specversion":"1.0","id":null,"source":"s","type":"t"}', 'id is missing'],
    ['without a source', '{"specversion":"1.0","id":"i","type":"t"}', 'source is missing'],
    ['without a type', '{"specversion":"1.0","id":"i","source":"s"}', 'type is missing'],
    ['of CloudEvents 0.3', '{"specversion":"0.3","id":"i","source":"s","type":"t"}', 'specversion is not "1.0"'],
    ['with two ids', eventJson('"id":"e-2"'), '"id" comes more than once'],
    ['with two ids, one of them escaped', eventJson('"\\u0069d":"e-2"'), '"id" comes more than once'],
    ['with two data', eventJson('"data":1,"data":1'), '"data" comes more than once'],
    ['with data and data_base64', eventJson('"data":1,"data_base64":"MQ=="'), 'send one of them'],
    ['with data_base64 that is none', eventJson('"data_base64":"*"'), 'not a string in base64'],
    ['with data_base64 that is an object', eventJson('"data_base64":{}'), 'not a string in base64'],
    ['with 201 members', eventJson(Array.from({ length: 197 }, (_, at) => `"a${at}":1`).join(',')), '201 members'],
    ['with an object as attribute', eventJson('"workerid":{"id":"w"}'), '"workerid" is an object'],
  ])('%s is rejected, naming the member', (_, json, detail) => {
    expect(readOne(json)).toMatchObject({
      outcome: 'rejected',
      code: 'envelope_invalid',
      detail: expect.stringContaining(detail),
    })
  })

  test('a rejected event says which one it is as far as it can be told', () => {
    expect(readOne('{"id":"e-9","source":"urn:test"}')).toMatchObject({ id: 'e-9', source: 'urn:test' })
  })

  test('all faults of one event are named together', () => {
    expect(readOne('{"workerid":[]}')).toMatchObject({
      detail: expect.stringMatching(/workerid.*specversion.*id is.*source.*type/),
    })
  })

  test.each([
    ['odd spacing', ' {\t"a" :\n1 } ', '{\t"a" :\n1 }'],
    ['an integer beyond 2^53', '{"n":9007199254740993}', '{"n":9007199254740993}'],
    ['a number with a useless exponent', '1.0e+2', '1.0e+2'],
    ['duplicate keys', '{"k":1,"k":2}', '{"k":1,"k":2}'],
    ['escapes', '"\\u0000 \\ud83d \\/ \\u0041"', '"\\u0000 \\ud83d \\/ \\u0041"'],
    ['characters of four bytes', '"😀"', '"😀"'],
    ['null', 'null', 'null'],
    ['a string that looks like the end', '"}]\\""', '"}]\\""'],
  ])('keeps the bytes of data with %s', (_, written, expected) => {
    const event = readOne(eventJson(`"data": ${written}`))
    expect(event.outcome === 'event' && codec.utf8Decode(event.data ?? bytes(''))).toBe(expected)
  })

  test('decodes data_base64 to the bytes', () => {
    expect(readOne(eventJson('"data_base64":"AP8="'))).toMatchObject({ data: Uint8Array.from([0, 255]) })
  })

  test('without data has none', () => {
    expect(readOne(eventJson(''))).toEqual({ outcome: 'event', attributes: envelope, data: undefined })
  })

  test('numbers and booleans are taken as their JSON text, null as absent', () => {
    expect(readOne(eventJson('"httpstatus":404,"flag":true,"sequence":1.50,"taskid":null'))).toMatchObject({
      attributes: { ...envelope, httpstatus: '404', flag: 'true', sequence: '1.50' },
    })
  })

  test('a member called __proto__ is an attribute like any other', () => {
    const event = readOne(eventJson('"__proto__":"x"'))
    expect(event.outcome === 'event' && Object.keys(event.attributes)).toContain('__proto__')
  })

  test('data of 100,000 levels has a usable envelope like any other', () => {
    const data = deep(100_000)
    const event = readOne(eventJson(`"data":${data}`))
    expect(event.outcome === 'event' && event.data).toEqual(bytes(data))
  })

  test('an attribute that is nested is refused, however deep', () => {
    expect(readOne(eventJson(`"scope":${deep(100_000)}`))).toMatchObject({ outcome: 'rejected', code: 'envelope_invalid' })
  })
})

describe('a batch', () => {
  test.each([
    ['an object', '{}', 'envelope_invalid', 'application/cloudevents+json'],
    ['a string', '"x"', 'envelope_invalid', 'application/cloudevents+json'],
    ['not JSON', '[{]', 'body_malformed', 'not JSON'],
    ['three events where two are allowed', '[{},{},{}]', 'batch_too_large', '3 events'],
  ])('that is %s is refused', (_, body, code, detail) => {
    expect(parseBatch(bytes(body), 2, codec)).toEqual({
      outcome: 'rejected',
      code,
      detail: expect.stringContaining(detail),
    })
  })

  test('an empty array has no events', () => {
    expect(parseBatch(bytes(' [] '), 1000, codec)).toEqual({ outcome: 'read', events: [] })
  })

  test('a bad event is rejected alone, in its place', () => {
    const body = `[${eventJson('"data":1')}, 7, ${eventJson(`"data":${deep(1000)}`)}, ${eventJson('"data":2')}]`
    const reading = parseBatch(bytes(body), 1000, codec)
    expect(reading.outcome === 'read' && reading.events.map(({ outcome }) => outcome)).toEqual([
      'event',
      'rejected',
      'event',
      'event',
    ])
  })
})

describe('binary mode', () => {
  const required = [
    ['Ce-SpecVersion', '1.0'],
    ['ce-id', 'e-1'],
    ['ce-source', 'urn:test'],
    ['CE-TYPE', 'a2a.task'],
  ] as const

  test('attributes come from ce- headers, the body is the data, the content type is datacontenttype', () => {
    const headers = [...required, ['Content-Type', 'application/a2a+json'], ['host', 'x']] as const
    expect(parseBinary(headers, bytes('{ "a":1}'), codec)).toEqual({
      outcome: 'event',
      attributes: { ...envelope, datacontenttype: 'application/a2a+json' },
      data: bytes('{ "a":1}'),
    })
  })

  test('an empty body is no data', () => {
    expect(parseBinary(required, bytes(''), codec)).toMatchObject({ data: undefined })
  })

  test.each([
    ['plain', 'plain'],
    ['a b', 'a b'],
    ['Euro%20%E2%82%AC%20%F0%9F%98%80', 'Euro € 😀'],
    ['50%25', '50%'],
    ['%2525', '%25'],
    ['"quoted \\"value\\" 100%25"', 'quoted "value" 100%'],
    ['half " quoted', 'half " quoted'],
    ['\u00e2\u0082\u00ac', '€'],
  ])('the header value %s means %s', (value, expected) => {
    expect(parseBinary([...required, ['ce-taskid', value]], bytes(''), codec)).toMatchObject({
      attributes: { taskid: expected },
    })
  })

  test.each([
    ['ce-taskid', '50%', 'cannot be decoded'],
    ['ce-taskid', '%zz', 'cannot be decoded'],
    ['ce-taskid', '%ff', 'cannot be decoded'],
    ['ce-id', 'e-2', 'comes more than once'],
    ['ce-datacontenttype', 'application/json', 'Content-Type'],
  ])('the header %s: %s is rejected', (name, value, detail) => {
    expect(parseBinary([...required, [name, value]], bytes(''), codec)).toMatchObject({
      outcome: 'rejected',
      detail: expect.stringContaining(detail),
    })
  })

  test('a missing attribute is rejected', () => {
    expect(parseBinary(required.slice(1), bytes(''), codec)).toMatchObject({
      outcome: 'rejected',
      detail: expect.stringContaining('specversion'),
    })
  })
})

describe('attributes', () => {
  const judge = (more: Record<string, string | undefined>, maker?: 'witness' | 'deployment') =>
    validateAttributes({ ...envelope, workerid: 'w', ...more } as EventAttributes, maker)?.reason

  test.each<[string, Record<string, string | undefined>, string | undefined]>([
    ['a task of a worker', {}, undefined],
    ['every attribute of the contract', { time: '2026-11-01T10:00:00Z', binding: 'HTTP+JSON', httpstatus: '404', operation: 'GetTask', correlationid: 'k', taskid: 't', scope: '', sequence: '1', etag: '"x"' }, undefined],
    ['a time with nanoseconds and an offset', { time: '2026-11-01t10:00:00.123456789+02:30' }, undefined],
    ['a leap second', { time: '2016-12-31T23:59:60Z' }, undefined],
    ['an extension of the sender', { myextension: 'x' }, undefined],
    ['an operation nobody knows', { operation: 'FutureOperation' }, undefined],
    ['a parent that is synthetic', { parentcorrelationid: '~w/t' }, undefined],
    ['a conclusion about a task', { type: 'orchestrator.conclusion', correlationid: 'k', workerid: undefined }, undefined],
    ['an id of 1,024 characters of two bytes', { id: 'é'.repeat(1024) }, undefined],
    ['an id of 1,024 characters of four bytes', { taskid: '😀'.repeat(1024) }, undefined],
    ['a media type with a parameter', { datacontenttype: 'application/json; charset=utf-8' }, undefined],
    ['a verdict from outside', { type: 'reconciler.verdict' }, 'reserved_type'],
    ['a link from outside', { type: 'ledger.correlation-linked' }, 'reserved_type'],
    ['a type of the ledger that is not there yet', { type: 'ledger.future' }, 'reserved_type'],
    ['a reserved type and a reserved id', { type: 'ledger.gap', correlationid: '~x' }, 'reserved_type'],
    ['a type of somebody else', { type: 'com.example.queue-closed' }, 'unknown_type'],
    ['a type that begins like ours', { type: 'a2a.future' }, 'unknown_type'],
    ['an unknown type with a reserved id', { type: 'x', correlationid: '~x' }, 'unknown_type'],
    ['a synthetic correlation', { correlationid: '~w/t' }, 'reserved_id'],
    ['a synthetic correlation with a bad time', { correlationid: '~w/t', time: 'now' }, 'reserved_id'],
    ['no worker', { workerid: undefined }, 'attribute_invalid'],
    ['an empty worker', { workerid: '' }, 'attribute_invalid'],
    ['an empty correlation', { correlationid: '' }, 'attribute_invalid'],
    ['a conclusion about nothing', { type: 'orchestrator.conclusion' }, 'attribute_invalid'],
    ['an id of 1,025 characters', { id: 'é'.repeat(1025) }, 'attribute_invalid'],
    ['a task id of 1,025 characters', { taskid: 'x'.repeat(1025) }, 'attribute_invalid'],
    ['a source of 9,000 characters', { source: 'x'.repeat(9000) }, 'attribute_invalid'],
    ['an extension of 9,000 characters', { myextension: 'x'.repeat(9000) }, 'attribute_invalid'],
    ['an id with NUL', { id: 'a\u0000' }, 'attribute_invalid'],
    ['a task id with a line feed', { taskid: 'a\nb' }, 'attribute_invalid'],
    ['a worker with half a surrogate pair', { workerid: 'w\ud83d' }, 'attribute_invalid'],
    ['a binding nobody knows', { binding: 'SOAP' }, 'attribute_invalid'],
    ['a binding in other case', { binding: 'jsonrpc' }, 'attribute_invalid'],
    ['a status in words', { httpstatus: 'OK' }, 'attribute_invalid'],
    ['a status with a fraction', { httpstatus: '404.0' }, 'attribute_invalid'],
    ['a time without an offset', { time: '2026-11-01T10:00:00' }, 'attribute_invalid'],
    ['a time without seconds', { time: '2026-11-01T10:00Z' }, 'attribute_invalid'],
    ['an hour that is none', { time: '2026-11-01T24:00:00Z' }, 'attribute_invalid'],
    ['a time with a blank', { time: '2026-11-01 10:00:00Z' }, 'attribute_invalid'],
    ['a time as a number', { time: '1793527200' }, 'attribute_invalid'],
    ['a day as time', { time: '2026-11-01' }, 'attribute_invalid'],
    ['a day that is none', { time: '2026-02-30T00:00:00Z' }, 'attribute_invalid'],
    ['a content type that is none', { datacontenttype: 'json' }, 'attribute_invalid'],
    ['a content type with a line feed', { datacontenttype: 'a/b;\r\nx: y' }, 'attribute_invalid'],
    ['a name with a capital', { workerId: 'w' }, 'attribute_invalid'],
    ['a name with a hyphen', { 'worker-id': 'w' }, 'attribute_invalid'],
    ['the name __proto__', Object.fromEntries([['__proto__', 'x']]), 'attribute_invalid'],
    ['a position of its own', { position: '7' }, 'attribute_invalid'],
    ['an append against a position', { ifstreamposition: '7' }, 'attribute_invalid'],
  ])('%s: %o is %s', (_, more, reason) => {
    expect(judge(more)).toBe(reason)
  })

  test.each<[string, Record<string, string | undefined>, string | undefined]>([
    ['a verdict', { type: 'reconciler.verdict', correlationid: 'k' }, undefined],
    ['an enrolment in the stream of a worker', { type: 'reconciler.worker-enrolled', correlationid: '~w' }, undefined],
    ['an observation', { type: 'a2a.error' }, undefined],
    ['a type nobody makes', { type: 'reconciler.future' }, 'unknown_type'],
    ['a bad id', { type: 'reconciler.verdict', taskid: '\u0007' }, 'attribute_invalid'],
  ])('from this deployment %s: %o is %s', (_, more, reason) => {
    expect(judge(more, 'deployment')).toBe(reason)
  })

  test('the detail names the attribute and what would be right', () => {
    const attributes = { ...envelope, workerid: 'w', binding: 'SOAP' }
    expect(validateAttributes(attributes)?.detail).toBe('binding is none of JSONRPC, HTTP+JSON, GRPC.')
  })

  test('the detail is text that can be stored, whatever the name is', () => {
    const attributes = { ...envelope, workerid: 'w', 'a\u0000\ud83d': 'x' }
    expect(validateAttributes(attributes)?.detail).toContain('"a\\u0000\\ud83d"')
  })
})

describe('whatever comes', () => {
  const space = constantFrom('', ' ', '\n', '\t', '\r\n  ')

  test('data keeps its bytes, however it is written', () => {
    assert(
      property(json(), space, space, (data, before, after) => {
        const event = readOne(eventJson(`"data":${before}${data}${after}`))
        expect(event.outcome === 'event' && codec.utf8Decode(event.data ?? bytes(''))).toBe(data.trim())
      }),
    )
  })

  test('the events of a batch are told apart, however they are written', () => {
    assert(
      property(array(json(), { maxLength: 5 }), space, (datas, around) => {
        const events = datas.map((data) => `${around}${eventJson(`"data":${data}`)}${around}`)
        const reading = parseBatch(bytes(`[${events.join(',')}]`), 1000, codec)
        const found = reading.outcome === 'read' ? reading.events : []
        expect(found.map((event) => event.outcome === 'event' && event.data)).toEqual(
          datas.map((data) => bytes(data)),
        )
      }),
    )
  })

  test('a header value comes back as it was before it was percent-encoded', () => {
    assert(
      property(string({ unit: 'grapheme' }), (value) => {
        const headers = Object.entries({ ...envelope, taskid: value.trim() })
        const event = parseBinary(
          headers.map(([name, text]) => [`ce-${name}`, encodeURIComponent(text)]),
          bytes(''),
          codec,
        )
        expect(event).toMatchObject({ attributes: { taskid: value.trim() } })
      }),
    )
  })

  test('no bytes make a reader throw', () => {
    assert(
      property(uint8Array({ maxLength: 200 }), string({ unit: 'binary' }), (body, text) => {
        for (const each of [body, bytes(text), bytes(`{"a":${text}}`), bytes(`[${text}]`)]) {
          parseStructured(each, codec)
          parseBatch(each, 10, codec)
        }
        parseBinary([[`ce-${text}`, text], ['ce-id', text]], body, codec)
      }),
    )
  })
})
