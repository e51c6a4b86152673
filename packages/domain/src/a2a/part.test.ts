import { describe, expect, test } from 'vitest'
import { scanJson } from '../json/document.ts'
import { partOf } from './part.ts'
import { Reader } from './reader.ts'

const read = (text: string) => {
  const reader = new Reader({ type: 'a2a.task' })
  const scan = scanJson(text)
  if (scan.outcome !== 'ok') throw new Error(scan.detail)
  const { content, mediaType, mediaTypeImplied } = partOf(reader, scan.document.root)
  return { content, mediaType: mediaTypeImplied ? `${mediaType}*` : mediaType, notes: reader.notes }
}

const text = (value: string) => ({ kind: 'text', text: value })
const raw = (base64: string) => ({ kind: 'raw', base64 })
const url = (value: string) => ({ kind: 'url', url: value })
const data = (json: string) => ({ kind: 'data', json })

describe('parts of every generation (C137–C139)', () => {
  test.each([
    ['v1.0 text', '{"text":"a"}', text('a'), 'text/plain*', []],
    [
      'v1.0 text of a stated type',
      '{"text":"a","mediaType":"text/markdown"}',
      text('a'),
      'text/markdown',
      [],
    ],
    ['v1.0 raw', '{"raw":"AA==","mediaType":"image/png"}', raw('AA=='), 'image/png', []],
    [
      'v1.0 url without a type',
      '{"url":"https://x.test"}',
      url('https://x.test'),
      'application/octet-stream*',
      [],
    ],
    ['v1.0 data of any JSON value', '{"data":[1, 2]}', data('[1,2]'), 'application/json*', []],
    ['v1.0 data that is null', '{"data":null}', data('null'), 'application/json*', []],
    [
      'v1.0 with unset siblings written out',
      '{"text":"a","raw":"","url":"","data":null}',
      text('a'),
      'text/plain*',
      [],
    ],
    ['v1.0 of an empty text', '{"text":""}', text(''), 'text/plain*', []],
    ['v0.3 text', '{"kind":"text","text":"a"}', text('a'), 'text/plain*', []],
    [
      'v0.3 file with bytes',
      '{"kind":"file","file":{"bytes":"AA==","mimeType":"Application/PDF"}}',
      raw('AA=='),
      'application/pdf',
      [],
    ],
    [
      'v0.3 file with a uri',
      '{"kind":"file","file":{"uri":"https://x.test"}}',
      url('https://x.test'),
      'application/octet-stream*',
      [],
    ],
    [
      'release-candidate names',
      '{"kind":"file","file":{"fileWithUri":"https://x.test","mediaType":"a/b"}}',
      url('https://x.test'),
      'a/b',
      [],
    ],
    [
      'v0.3 proto file',
      '{"file":{"fileWithBytes":"AA==","mimeType":"a/b"}}',
      raw('AA=='),
      'a/b',
      [],
    ],
    [
      'v0.2 sample that puts bytes in data',
      '{"kind":"file","file":{"mimeType":"image/png","data":"AA=="}}',
      raw('AA=='),
      'image/png',
      ['wire_alias_used'],
    ],
    ['v0.1 text', '{"type":"text","text":"a"}', text('a'), 'text/plain*', []],
    [
      'a Python model written out',
      '{"root":{"kind":"text","text":"a"}}',
      text('a'),
      'text/plain*',
      [],
    ],
    [
      'names in snake case',
      '{"text":"a","media_type":"text/csv"}',
      text('a'),
      'text/csv',
      ['wire_alias_used'],
    ],
    [
      'mimeType on a v1.0 part',
      '{"url":"https://x.test","mimeType":"image/png"}',
      url('https://x.test'),
      'image/png',
      [],
    ],
    [
      'two names that disagree: mediaType wins',
      '{"text":"a","mimeType":"text/plain","mediaType":"text/html"}',
      text('a'),
      'text/html',
      ['content_ambiguous'],
    ],
    [
      'two names that agree but for case and parameters',
      '{"text":"a","mediaType":"text/html","contentType":"Text/HTML; charset=utf-8"}',
      text('a'),
      'text/html',
      [],
    ],
    [
      'two contents: the kind decides',
      '{"kind":"data","text":"a","data":{}}',
      data('{}'),
      'application/json*',
      ['content_ambiguous'],
    ],
    [
      'two contents without a kind: the order of the proto decides',
      '{"url":"https://x.test","text":"a"}',
      text('a'),
      'text/plain*',
      ['content_ambiguous'],
    ],
    ['a data URI in base64', '{"url":"data:image/png;base64,AA=="}', raw('AA=='), 'image/png', []],
    ['a data URI in percent encoding', '{"url":"data:,a%20b"}', text('a b'), 'text/plain', []],
    [
      'a data URI that contradicts its part',
      '{"url":"data:image/png;base64,AA==","mediaType":"image/gif"}',
      raw('AA=='),
      'image/gif',
      ['content_ambiguous'],
    ],
    [
      'a data URI that cannot be decoded',
      '{"url":"data:,%zz"}',
      url('data:,%zz'),
      'application/octet-stream*',
      [],
    ],
    ['a part without content', '{"kind":"text"}', { kind: 'none' }, 'text/plain*', []],
    ['what is no object', '"text"', { kind: 'none' }, 'application/octet-stream*', []],
  ])('%s', (_fact, wire, content, mediaType, notes) => {
    expect(read(wire)).toEqual({ content, mediaType, notes })
  })
})
