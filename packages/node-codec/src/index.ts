import { hash } from 'node:crypto'
import type { Codec } from '@a2a-ledger/domain'

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()
const base64Alphabet = /^[A-Za-z0-9+/_-]*={0,2}$/

/** The domain's codec on Node: hashing and byte encodings, all total and deterministic. */
export const nodeCodec: Codec = {
  sha256Hex: (content) => hash('sha256', content, 'hex'),
  utf8Encode: (text) => encoder.encode(text),
  utf8Decode: (bytes) => {
    try {
      return decoder.decode(bytes)
    } catch (error) {
      if (error instanceof TypeError) return undefined
      throw error
    }
  },
  base64Decode: (text) => {
    const digits = text.replace(/=+$/, '')
    return base64Alphabet.test(text) && digits.length % 4 !== 1 ? new Uint8Array(Buffer.from(digits, 'base64')) : undefined
  },
}
