import { createHmac } from 'node:crypto'
import { nodeCodec } from '@a2a-ledger/node-codec'
import { describe, expect, test } from 'vitest'
import { type CallerHeaders, scopeOf } from './call-scope.ts'

const keyed = (text: string): string => createHmac('sha256', 'key').update(text).digest('base64url').slice(0, 22)
const scope = (headers: Partial<CallerHeaders>, tenant?: string, key = keyed): string =>
  scopeOf(key, nodeCodec, { authorization: undefined, cookie: undefined, apiKeys: [], ...headers }, tenant)
const jwt = (claims: object, signature = 'sig'): string =>
  `Bearer ${[{ alg: 'RS256' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.${signature}`

describe('the scope of a call', () => {
  test.each([
    ['nobody', {}, {}],
    ['one credential', { authorization: 'Bearer a' }, { authorization: 'Bearer a' }],
    ['one API key', { apiKeys: ['k'] }, { apiKeys: ['k'] }],
    ['tokens of one caller, which change', { authorization: jwt({ iss: 'i', sub: 's', exp: 1, jti: '1' }) }, { authorization: jwt({ iss: 'i', sub: 's', exp: 2, jti: '2' }, 'other') }],
  ])('is the same for %s', (_fact, one, other) => {
    expect(scope(one)).toBe(scope(other))
  })

  test('is another for every other caller', () => {
    const scopes = [
      scope({}),
      scope({}, 'acme'),
      scope({ authorization: 'Bearer a' }),
      scope({ authorization: 'Bearer b' }),
      scope({ authorization: 'bearer a' }),
      scope({ authorization: 'Bearer a' }, 'acme'),
      scope({ authorization: 'Bearer a', cookie: 'a=b' }),
      scope({ apiKeys: ['Bearer a'] }),
      scope({ cookie: 'Bearer a' }),
      scope({ authorization: jwt({ iss: 'i', sub: 's' }) }),
      scope({ authorization: jwt({ iss: 'j', sub: 's' }) }),
      scope({ authorization: jwt({ iss: 'i', sub: 't' }) }),
      scope({ authorization: jwt({ iss: 'i', sub: 's', tid: 'x' }) }),
      scope({ authorization: jwt({ iss: 'i', aud: '1' }) }), // says nothing about whom it was issued for: the token counts
      scope({ authorization: jwt({ iss: 'i', aud: '2' }) }),
      scope({ authorization: 'Bearer a.b.c' }),
      scope({ authorization: `Bearer x.${Buffer.from('no json').toString('base64url')}.y` }),
    ]
    expect(new Set(scopes).size).toBe(scopes.length)
  })

  test('gives nothing away', () => {
    const secrets = ['Bearer aaaaaaaa', 'iiiiiiii', 'ssssssss', 'tttttttt']
    const text = [scope({ authorization: secrets[0] }), scope({ authorization: jwt({ iss: secrets[1], sub: secrets[2] }) }, secrets[3])].join(' ')
    for (const secret of secrets) {
      expect(text).not.toContain(secret)
      expect(text).not.toContain(nodeCodec.sha256Hex(secret).slice(0, 8))
    }
    expect(scope({ authorization: 'Bearer a' })).not.toBe(scope({ authorization: 'Bearer a' }, undefined, (content) => createHmac('sha256', 'other key').update(content).digest('base64url')))
  })

  test('of nobody is a word of its own, so that it differs from everybody', () => {
    expect(scope({})).toBe('anonymous')
  })
})
