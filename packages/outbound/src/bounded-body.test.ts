import { describe, expect, test } from 'vitest'
import { boundBody } from './bounded-body.ts'
import { OutboundError } from './outbound-error.ts'

const never = new AbortController().signal
const streamOf = (chunks: readonly string[]): ReadableStream<Uint8Array> =>
  ReadableStream.from(chunks.map((chunk) => new TextEncoder().encode(chunk)))

async function read(chunks: readonly string[], bytesMax: number, isEventStream: boolean): Promise<{ text: string; code?: string; ends: number }> {
  let ends = 0
  const text: string[] = []
  const result = () => ({ text: text.join(''), ends })
  try {
    for await (const chunk of boundBody(streamOf(chunks), { bytesMax, isEventStream, signal: never, ended: () => (ends += 1) })) text.push(new TextDecoder().decode(chunk))
    return result()
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return { ...result(), code: error.code }
  }
}

describe('a body', () => {
  test('of as many bytes as there may be passes', async () => {
    expect(await read(['abc', 'de'], 5, false)).toEqual({ text: 'abcde', ends: 1 })
  })
  test('of one byte more ends where it is too large', async () => {
    expect(await read(['abc', 'def', 'g'], 5, false)).toEqual({ text: 'abc', code: 'body_too_large', ends: 1 })
  })
  test('that nobody reads on ends the one it comes from', async () => {
    let isCancelled = false
    const endless = new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(new Uint8Array(10)), cancel: () => void (isCancelled = true) })
    const reader = boundBody(endless, { bytesMax: 100, isEventStream: false, signal: never, ended: () => undefined }).getReader()
    await reader.read()
    await reader.cancel()
    expect(isCancelled).toBe(true)
  })
  test.each([['before it is read', true], ['while it is read', false]])('that is aborted %s ends with the reason, and ends the one it comes from', async (_when, isBefore) => {
    let ends = 0
    const cancelled: unknown[] = []
    const silent = new ReadableStream<Uint8Array>({ cancel: (reason) => void cancelled.push(reason) })
    const stopping = new AbortController()
    const reason = new Error('enough')
    if (isBefore) stopping.abort(reason)
    const reading = boundBody(silent, { bytesMax: 100, isEventStream: true, signal: stopping.signal, ended: () => (ends += 1) }).getReader().read()
    const outcome = expect(reading).rejects.toBe(reason)
    stopping.abort(reason)
    await outcome
    expect({ ends, cancelled }).toEqual({ ends: 1, cancelled: [reason] })
  })
})

describe('a stream of events', () => {
  const event = (lineEnd: string): string => `data: 1${lineEnd}id: 2${lineEnd}${lineEnd}`
  test.each([['LF', '\n'], ['CRLF', '\r\n'], ['CR', '\r']])('may go on for ever with %s', async (_name, lineEnd) => {
    const chunks = Array.from({ length: 100 }, () => event(lineEnd))
    expect((await read(chunks, 25, true)).code).toBeUndefined()
    expect((await read(Array.from(chunks.join('')), 25, true)).code).toBeUndefined() // cut anywhere
  })
  test.each([
    ['one line without an end', ['data: ', 'x'.repeat(30)]],
    ['many lines without a blank one', Array.from({ length: 10 }, () => 'data: 1\n')],
    ['comments without a blank line', Array.from({ length: 10 }, () => ': keep-alive\r\n')],
    ['a large event after small ones', ['data: 1\n\n', 'data: 2\n\n', `data: ${'x'.repeat(30)}\n\n`]],
    ['a large event at the beginning of a chunk', [`data: ${'x'.repeat(30)}\n\ndata: 1\n\n`]],
  ])('ends at %s', async (_name, chunks) => {
    expect((await read(chunks, 25, true)).code).toBe('body_too_large')
  })
})
