/** A stream of events, taken apart beside its way through: nothing of it is held back. */
import type { Transform } from 'node:stream'
import { finished } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress, constants } from 'node:zlib'
import { createParser } from 'eventsource-parser'
import { bodyBytesMax, encodingsOf } from './kept-body.ts'

export interface FrameSink {
  /** The data of one event. */
  readonly frame: (data: string) => void
  readonly missed: (reason: 'too_large') => void
}

export interface EventFrames {
  readonly add: (chunk: Uint8Array) => void
  /** Resolves when everything added was taken apart. */
  readonly end: () => Promise<void>
}

/** Told by the `content-type` of an answer. */
export const isEventStream = (contentType: string | undefined): boolean => /^text\/event-stream\s*(?:;|$)/i.test(contentType ?? '')

export function readEventFrames(sink: FrameSink, contentEncoding: string | undefined): EventFrames {
  const text = new TextDecoder()
  const parser = createParser({
    maxBufferSize: bodyBytesMax,
    onEvent: ({ data }) => {
      if (Buffer.byteLength(data) > bodyBytesMax) sink.missed('too_large')
      else sink.frame(data)
    },
    onError: ({ type }) => {
      if (type !== 'max-buffer-size-exceeded') return
      sink.missed('too_large')
      isOverflown = true
    },
  })
  let isOverflown = false
  const plain = (chunk: Uint8Array): void => {
    parser.feed(text.decode(chunk, { stream: true }))
    if (isOverflown) parser.reset()
    isOverflown = false
  }
  const [encoding, ...more] = encodingsOf(contentEncoding)
  if (encoding === undefined) return { add: plain, end: async () => undefined }
  const decoder = more.length === 0 ? decoders.get(encoding)?.() : undefined
  if (decoder === undefined) return { add: () => undefined, end: async () => undefined } // it goes by unread
  decoder.on('data', plain)
  decoder.on('error', () => undefined) // what follows cannot be read; it goes on to the caller all the same
  return {
    add: (chunk) => void decoder.write(chunk),
    end: () => {
      decoder.end()
      return finished(decoder).catch(() => undefined) // it may have broken long ago
    },
  }
}

/** Each gives a piece as soon as it is there. */
const decoders: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', () => createGunzip({ flush: constants.Z_SYNC_FLUSH })],
  ['x-gzip', () => createGunzip({ flush: constants.Z_SYNC_FLUSH })],
  ['deflate', () => createInflate({ flush: constants.Z_SYNC_FLUSH })],
  ['br', () => createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH })],
  ['zstd', () => createZstdDecompress({ flush: constants.ZSTD_e_flush })],
])
