/** The codec of Node, for tests; services bring their own. */
import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { Codec } from '../codec.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export const testCodec: Codec = {
  sha256Hex: (content) => createHash('sha256').update(content).digest('hex'),
  utf8Encode: (text) => new TextEncoder().encode(text),
  utf8Decode: (bytes) => {
    try {
      return utf8.decode(bytes)
    } catch {
      return undefined
    }
  },
  base64Decode: (text) => {
    const digits = text.replace(/=+$/, '')
    return /^[A-Za-z0-9+/_-]*={0,2}$/.test(text) && digits.length % 4 !== 1
      ? new Uint8Array(Buffer.from(digits, 'base64'))
      : undefined
  },
}
