import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Codec } from '../codec.ts'
import { artifactBytes } from './content.ts'
import type { PartContent } from './reading.ts'

const codec: Codec = {
  sha256Hex: (content) => createHash('sha256').update(content).digest('hex'),
  utf8Encode: (text) => new Uint8Array(Buffer.from(text, 'utf8')),
  utf8Decode: (bytes) => Buffer.from(bytes).toString('utf8'),
  base64Decode: (text) =>
    /^[\w+/=-]*$/.test(text) ? new Uint8Array(Buffer.from(text, 'base64')) : undefined,
}

const textOf = (...contents: readonly PartContent[]): string =>
  Buffer.from(
    artifactBytes(
      contents.map((content) => ({ content, mediaType: 'a/b', mediaTypeImplied: true })),
      codec,
    ),
  ).toString('utf8')

describe('the content of an artifact (contract §4)', () => {
  test.each<[string, readonly PartContent[], string]>([
    ['text as UTF-8', [{ kind: 'text', text: 'ü' }], 'ü'],
    ['raw decoded', [{ kind: 'raw', base64: 'JVBERi0=' }], '%PDF-'],
    ['raw that is no base64 as its text', [{ kind: 'raw', base64: '§' }], '§'],
    ['data as its text', [{ kind: 'data', json: '{"a":1.0}' }], '{"a":1.0}'],
    ['a link contributes nothing', [{ kind: 'url', url: 'https://x.test' }, { kind: 'none' }], ''],
    [
      'parts stand one after the other',
      [
        { kind: 'text', text: 'a' },
        { kind: 'data', json: '1' },
        { kind: 'text', text: 'b' },
      ],
      'a1b',
    ],
  ])('%s', (_fact, contents, expected) => {
    expect(textOf(...contents)).toBe(expected)
  })
})
