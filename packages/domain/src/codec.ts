/**
 * What the pure domain cannot do with the language alone: hashing and byte encodings.
 *
 * Handed in by the caller, so that the domain runs inside a service, an agent or a browser.
 * Every function is total and deterministic.
 */
export interface Codec {
  /** SHA-256 as 64 lower-case hex digits; a string is hashed as its UTF-8 bytes. */
  readonly sha256Hex: (content: string | Uint8Array) => string
  /** UTF-8 bytes; an unpaired surrogate becomes U+FFFD. */
  readonly utf8Encode: (text: string) => Uint8Array
  /** Text of UTF-8 bytes, or `undefined` when they are not well-formed UTF-8. A BOM is kept. */
  readonly utf8Decode: (bytes: Uint8Array) => string | undefined
  /** Bytes of standard or URL-safe base64, or `undefined` when it is neither. */
  readonly base64Decode: (text: string) => Uint8Array | undefined
}
