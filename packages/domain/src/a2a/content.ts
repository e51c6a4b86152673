/** What an artifact is, as bytes: what its digest and length are taken of (contract §4). */
import type { Codec } from '../codec.ts'
import type { PartContent, PartReading } from './reading.ts'

const bytesOf = (content: PartContent, codec: Codec): Uint8Array => {
  switch (content.kind) {
    case 'text':
      return codec.utf8Encode(content.text)
    case 'raw':
      return codec.base64Decode(content.base64) ?? codec.utf8Encode(content.base64)
    case 'data':
      return codec.utf8Encode(content.json)
    case 'url':
    case 'none':
      return new Uint8Array()
  }
}

/**
 * The content of parts, one after the other: text as UTF-8, raw decoded, data as its received text
 * without insignificant white space; a URL contributes nothing (its content was never seen).
 *
 * `raw` that is no base64 contributes its text, so that two broken contents still differ.
 */
export const artifactBytes = (parts: readonly PartReading[], codec: Codec): Uint8Array => {
  const pieces = parts.map((part) => bytesOf(part.content, codec))
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}
