import { promisify } from 'node:util'
import { brotliCompressSync, deflateSync, gunzip, gzipSync, zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { isEventStream, readEventFrames } from './event-frames.ts'

const stream = 'data: {"at":1}\n\n: silence\n\ndata: {"at":\ndata: 2}\n\n'

async function framesOf(bytes: Uint8Array, encoding: string | undefined): Promise<readonly string[]> {
  const seen: string[] = []
  const frames = readEventFrames({ frame: (data) => void seen.push(data), missed: (reason) => void seen.push(reason) }, encoding)
  for (let at = 0; at < bytes.length; at += 5) frames.add(bytes.subarray(at, at + 5))
  await frames.end()
  return seen
}

test.each([
  [undefined, Buffer.from(stream)],
  ['gzip', gzipSync(stream)],
  ['x-gzip', gzipSync(stream)],
  ['deflate', deflateSync(stream)],
  ['br', brotliCompressSync(stream)],
  ['zstd', zstdCompressSync(stream)],
])('a stream in the encoding %s is taken apart', async (encoding, bytes) => {
  expect(await framesOf(bytes, encoding)).toEqual(['{"at":1}', '{"at":\n2}'])
})

test.each([
  ['is none of what was named', Buffer.from(stream)],
  ['ends in the middle', gzipSync(stream).subarray(0, -12)],
])('a stream that %s comes to an end all the same', async (_fact, bytes) => {
  expect((await framesOf(bytes, 'gzip')).length).toBeLessThanOrEqual(2)
})

test('a stream whose decoder broke long before comes to an end', async () => {
  const frames = readEventFrames({ frame: () => undefined, missed: () => undefined }, 'gzip')
  frames.add(Buffer.from(stream))
  // Decoders take their turns: when this one, begun later, has failed, so has that of the stream.
  await expect(promisify(gunzip)(Buffer.from(stream))).rejects.toThrow()
  await new Promise<void>((resolve) => void setImmediate(resolve))
  await frames.end()
})

test.each([
  ['text/event-stream', true],
  ['Text/Event-Stream ; charset=utf-8', true],
  ['text/event-stream-like', false],
  ['application/json', false],
  [undefined, false],
])('an answer of the type %s is a stream: %s', (contentType, isOne) => {
  expect(isEventStream(contentType)).toBe(isOne)
})
