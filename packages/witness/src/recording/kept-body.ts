/**
 * What is kept of bodies that go by, within the bounds of memory: each at most as large as an event
 * may be, all together at most `budget`. Beyond either a body goes by and is not kept.
 */
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib'
import type { KeptBody } from './watch-call.ts'

/** As large as the data of an event may be (design P4). */
export const bodyBytesMax = 8 * 1024 * 1024

export interface ByteBudget {
  readonly take: (bytes: number) => boolean
  readonly giveBack: (bytes: number) => void
  readonly used: () => number
}

export function createByteBudget(bytesMax: number): ByteBudget {
  let used = 0
  return {
    take: (bytes) => {
      if (used + bytes > bytesMax) return false
      used += bytes
      return true
    },
    giveBack: (bytes) => {
      used -= bytes
    },
    used: () => used,
  }
}

export interface BodyKeeper {
  /** False: no more of it is kept. */
  readonly add: (chunk: Uint8Array) => boolean
  /** The body as it is so far, decoded; what was kept is given back. */
  readonly finish: (contentEncoding: string | undefined) => Promise<KeptBody>
  /** Nobody needs it. */
  readonly drop: () => void
}

export function keepBody(budget: ByteBudget): BodyKeeper {
  let chunks: Uint8Array[] = []
  let bytes = 0
  let missing: 'too_large' | 'overloaded' | undefined

  const drop = (): void => {
    budget.giveBack(bytes)
    bytes = 0
    chunks = []
  }
  return {
    add: (chunk) => {
      if (missing !== undefined) return false
      if (bytes + chunk.length > bodyBytesMax) missing = 'too_large'
      else if (!budget.take(chunk.length)) missing = 'overloaded'
      if (missing !== undefined) {
        drop()
        return false
      }
      bytes += chunk.length
      chunks.push(chunk)
      return true
    },
    finish: async (contentEncoding) => {
      const whole = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)
      drop()
      return missing === undefined ? decoded(whole, contentEncoding) : { missing }
    },
    drop,
  }
}

const limits = { maxOutputLength: bodyBytesMax }
const decoders: Readonly<Record<string, (bytes: Uint8Array) => Promise<Uint8Array>>> = {
  gzip: (bytes) => promisify(gunzip)(bytes, limits),
  'x-gzip': (bytes) => promisify(gunzip)(bytes, limits),
  deflate: (bytes) => promisify(inflate)(bytes, limits),
  br: (bytes) => promisify(brotliDecompress)(bytes, limits),
  zstd: (bytes) => promisify(zstdDecompress)(bytes, limits),
}

/** Encodings in the order in which they were applied; one that nobody here knows stays on. */
async function decoded(bytes: Uint8Array, contentEncoding: string | undefined): Promise<KeptBody> {
  let plain = bytes
  for (const name of encodingsOf(contentEncoding).toReversed()) {
    const decode = decoders[name]
    if (decode === undefined || plain.length === 0) return { bytes: plain }
    try {
      plain = await decode(plain)
    } catch (error) {
      const isTooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
      return isTooLarge ? { missing: 'too_large' } : { bytes: plain }
    }
  }
  return { bytes: plain }
}

export const encodingsOf = (contentEncoding: string | undefined): readonly string[] =>
  (contentEncoding ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity')
