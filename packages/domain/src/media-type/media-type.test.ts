import { describe, expect, test } from 'vitest'
import { essenceOf, matchesMediaRange, parseMediaType } from './media-type.ts'

describe('media types (F19)', () => {
  test.each([
    [
      'Text/Markdown; charset=UTF-8',
      { type: 'text', subtype: 'markdown', essence: 'text/markdown', parameters: 'charset=UTF-8' },
    ],
    [
      ' application/vnd.x+json ',
      {
        type: 'application',
        subtype: 'vnd.x+json',
        essence: 'application/vnd.x+json',
        parameters: '',
      },
    ],
    [
      'multipart/mixed; boundary=a; charset=utf-8 ',
      { type: 'multipart', subtype: 'mixed', essence: 'multipart/mixed', parameters: 'boundary=a; charset=utf-8' },
    ],
    ['*/*', { type: '*', subtype: '*', essence: '*/*', parameters: '' }],
    ['text', undefined],
    ['a/b/c', undefined],
    ['a b/c', undefined],
    ['a/b c', undefined],
    ['/plain', undefined],
    ['; charset=utf-8', undefined],
    ['', undefined],
  ])('%j is read as %j', (text, expected) => {
    expect(parseMediaType(text)).toEqual(expected)
  })

  test('a word that is no media type is kept', () => {
    expect(essenceOf(' Text ')).toBe('text')
  })

  test.each([
    ['text/plain', 'text/plain', true],
    ['Text/Plain; charset=utf-8', 'text/PLAIN;q=0.5', true],
    ['text/plain', 'text/*', true],
    ['text/plain', '*/*', true],
    ['text/plain', '*', true],
    ['text/plain', 'text', true],
    ['application/json', 'data', true],
    ['application/json', 'json', true],
    ['image/png', 'image', true],
    ['audio/mpeg', 'audio', true],
    ['video/mp4', 'video', true],
    ['image/png', 'file', true],
    ['text', 'text/*', true],
    ['text/plain', 'application/*', false],
    ['textual/plain', 'text/*', false],
    ['text/plain', 'text/markdown', false],
    ['text/plain', 'text/plain2', false],
    ['text/plain', 'text/pl', false],
    ['image/png', 'audio', false],
    ['text/json', 'json', false],
    ['image/png', 'text', false],
    ['text/*', 'text/plain', false],
  ])('%s in %s: %s', (mediaType, range, expected) => {
    expect(matchesMediaRange(mediaType, range)).toBe(expected)
  })
})
