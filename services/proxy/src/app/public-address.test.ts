import { describe, expect, test } from 'vitest'
import { joinUrl, publicLocationOf, publicUrlOf, readPublicPath } from './public-address.ts'

const key = '0123456789abcdef'

describe('a public path', () => {
  test.each([
    ['/w1', { kind: 'base', workerId: 'w1', rest: '', query: '' }],
    ['/w1/', { kind: 'base', workerId: 'w1', rest: '/', query: '' }],
    ['/w1?x=1', { kind: 'base', workerId: 'w1', rest: '', query: '?x=1' }],
    ['/w%2F1/a/b?x=/..', { kind: 'base', workerId: 'w/1', rest: '/a/b', query: '?x=/..' }],
    [`/w1/~${key}`, { kind: 'interface', workerId: 'w1', key, rest: '', query: '' }],
    [`/w1/~${key}/a?x=1`, { kind: 'interface', workerId: 'w1', key, rest: '/a', query: '?x=1' }],
    ['/w1/~user/a', { kind: 'base', workerId: 'w1', rest: '/~user/a', query: '' }],
    [`/w1/~${key}x`, { kind: 'base', workerId: 'w1', rest: `/~${key}x`, query: '' }],
    ['/w1/~push/abc_-9', { kind: 'push', workerId: 'w1', seal: 'abc_-9', query: '' }],
    ['/w1/~push/abc?x=1', { kind: 'push', workerId: 'w1', seal: 'abc', query: '?x=1' }],
    ['/w1/a...b/.well-known/x', { kind: 'base', workerId: 'w1', rest: '/a...b/.well-known/x', query: '' }],
  ])('%s', (target, path) => {
    expect(readPublicPath(target)).toEqual(path)
  })

  test.each(['', '/', '//', '//w1', '*', 'w1/x', 'http://evil.example/w1', '/%ZZ', '/w1/..', '/w1/./a', '/w1/a/../b', '/w1/%2e%2E/b', '/w1/a\\..\\b'])('%j leads nowhere', (target) => {
    expect(readPublicPath(target)).toMatchObject({ kind: 'unusable' })
  })
})

test.each([
  ['http://w', '', '', 'http://w/'],
  ['http://w', '/', '', 'http://w/'],
  ['http://w', '/a', '?x=1', 'http://w/a?x=1'],
  ['http://w/a2a', '', '', 'http://w/a2a'],
  ['http://w/a2a', '/', '', 'http://w/a2a/'],
  ['http://w/a2a/', '', '', 'http://w/a2a/'],
  ['http://w/a2a/', '/x', '', 'http://w/a2a/x'],
  ['http://w/a2a?k=1', '/x', '?y=2', 'http://w/a2a/x?k=1&y=2'],
  ['http://w/a2a?k=1', '', '?', 'http://w/a2a?k=1'],
  ['http://w/a#b', '/%2F', '', 'http://w/a/%2F'],
])('%s and %s%s is %s', (base, rest, query, expected) => {
  expect(joinUrl(base, rest, query).href).toBe(expected)
})

describe('an interface of a card', () => {
  const names = { publicUrl: 'https://proxy.example/a2a/', keyOf: () => key }
  const worker = { url: 'http://w:1/a2a' }
  test.each([
    ['http://w:1/a2a', 'https://proxy.example/a2a/w%2F1'],
    ['http://w:1/a2a/', 'https://proxy.example/a2a/w%2F1/'],
    ['http://w:1/a2a/rest', 'https://proxy.example/a2a/w%2F1/rest'],
    ['http://w:1/a2ax', `https://proxy.example/a2a/w%2F1/~${key}`],
    ['http://w:1/', `https://proxy.example/a2a/w%2F1/~${key}`],
    ['http://w:2/a2a', `https://proxy.example/a2a/w%2F1/~${key}`],
    ['https://w:1/a2a', `https://proxy.example/a2a/w%2F1/~${key}`],
    ['http://w:1/a2a?tenant=1', `https://proxy.example/a2a/w%2F1/~${key}`],
    ['http://w:1/a2a/~push/x', `https://proxy.example/a2a/w%2F1/~${key}`],
    ['w:443', undefined],
    ['grpc://w:1', undefined],
    ['not a url', undefined],
  ])('%s is %s', (url, expected) => {
    expect(publicUrlOf(names, 'w/1', worker, url)).toBe(expected)
  })

  test('leads back to where it came from', () => {
    for (const url of ['http://w:1/a2a', 'http://w:1/a2a/', 'http://w:1/a2a/rest/v1']) {
      const target = publicUrlOf({ ...names, publicUrl: 'https://proxy.example' }, 'w1', worker, url)?.slice('https://proxy.example'.length) ?? ''
      const path = readPublicPath(target)
      expect(path.kind === 'base' && joinUrl(worker.url, path.rest, path.query).href).toBe(url)
    }
  })
})

test('a place below the worker is public, with its parameters; another one is not', () => {
  expect(publicLocationOf('https://p', 'w1', { url: 'http://w/a2a' }, new URL('http://w/a2a/tasks?x=1#y'))).toBe('https://p/w1/tasks?x=1#y')
  expect(publicLocationOf('https://p', 'w1', { url: 'http://w/a2a' }, new URL('http://w/login'))).toBeUndefined()
})
