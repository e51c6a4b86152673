import { describe, expect, it } from 'vitest'
import { overwriteToldIn, secretsTold } from './told-secrets.ts'

const told = (text: string): readonly string[] => secretsTold(text).map(({ start, end }) => text.slice(start, end))

describe('credentials in text that is no JSON are told by how they look (L10)', () => {
  it.each<[string, string, readonly string[]]>([
    ['a header, to the end of its line', 'GET / HTTP/1.1\r\nAuthorization: Bearer abc def\r\nHost: x', ['Bearer abc def']],
    ['a header of a proxy', 'Proxy-Authorization: Basic dTpw', ['Basic dTpw']],
    ['a cookie, all of it', 'Cookie: sid=1; other=2\nAccept: */*', ['sid=1; other=2']],
    ['a cookie that is set', 'set-cookie: sid=1; Path=/', ['sid=1; Path=/']],
    ['the token of a push', 'X-A2A-Notification-Token: s3cret', ['s3cret']],
    ['an API key as a header', 'X-API-Key: k-1', ['k-1']],
    ['a form', 'grant_type=password&client_secret=s1&access_token=t1&x=2', ['s1', 't1']],
    ['a query', 'GET /a?api_key=k1&page=2', ['k1']],
    ['a log line', 'login failed: user=bob password=hunter2, retry', ['hunter2']],
    ['a quoted value with spaces', `pwd = "correct horse"; x`, ['correct horse']],
    ['a value in single quotes', `{'password': 'a b'}`, ['a b']],
    ['JSON that was cut off', '{"url":"https://x","token":"abc","rest":', ['abc']],
    ['JSON that was cut off within the secret', '{"token":"abc', ['abc']],
    ['a quote that is escaped does not end it', String.raw`{"token":"a\"b","x":`, [String.raw`a\"b`]],
    ['JSON in a JSON string', String.raw`"{\"token\":\"a\\\"b\",\"x\":1"`, [String.raw`a\\\"b`]],
    ['several in a list', '{"credentials":["a","b"],"x":', ['a', 'b']],
    ['a list that was cut off', '{"credentials":["a","b', ['a', 'b']],
    ['a list of headers', '["Authorization","Bearer x","Accept","*/*"', ['Bearer x']],
    ['an entry of a list of headers', '{"name":"Authorization","value":"Bearer x","y":', ['Bearer x']],
    ['a header in a JSON string, to the end of its line', String.raw`"Authorization: Bearer x\r\nHost: y"`, ['Bearer x']],
    ['a bearer token without its header', 'curl -H bearer abc123.def_456', ['abc123.def_456']],
    ['basic credentials without their header', 'sent basic dXNlcjpwYXNz to it', ['dXNlcjpwYXNz']],
    ['basic credentials that end in a sign', 'sent Basic usernames= to it', ['usernames=']],
    ['a password in an address', 'connect postgres://app:s3cret@db:5432/x', ['s3cret']],
    ['a JSON Web Token', 'got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln from it', ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln']],
    ['a key that names its use', 'privateKey: abc', ['abc']],
    ['two on a line', 'token=a token=b', ['a', 'b']],
    ['one that is found twice is there once', 'Authorization: Bearer abcdefgh1', ['Bearer abcdefgh1']],
  ])('%s', (_fact, text, secrets) => {
    expect(told(text)).toEqual(secrets)
  })

  it.each<[string, string]>([
    ['a word that only begins like one', 'max_tokens: 100, tokenizer=x'],
    ['prose', 'The token is invalid. Basic Authentication failed; a bearer of bad news.'],
    ['what a parser says', 'Unexpected token: < in JSON'],
    ['nothing at all', 'token=&password='],
    ['what stands for none', 'token: null, password=undefined'],
    ['an address without a password', 'https://user@host:8080/a:b'],
    ['an empty text', ''],
  ])('%s stays', (_fact, text) => {
    expect(told(text)).toEqual([])
  })

  it('bytes in any encoding keep their length', () => {
    const bytes = Uint8Array.from([0xff, 0xfe, ...new TextEncoder().encode('password=ab'), 0xe9, 0x20, 0x31])
    const expected = Uint8Array.from([0xff, 0xfe, ...new TextEncoder().encode('password=***'), 0x20, 0x31])
    expect(overwriteToldIn(bytes)).toEqual(expected)
  })

  it('bytes without one are the very bytes that came', () => {
    const bytes = Uint8Array.from([0xff, 1, 2])
    expect(overwriteToldIn(bytes)).toBe(bytes)
  })

  // A search that looked at a piece again for each one before it would not come to an end here.
  it.each<[string, string, number]>([
    ['names without a value', 'token', 0],
    ['names with nothing but names for values', 'token:', 1],
    ['values that the next name ends', 'token:"', 35_714],
    ['lists that are not closed', '{"token":["', 45_454],
    ['quotes', '"', 0],
    ['backslashes', '\\', 0],
    ['escaped quotes', '\\"', 0],
    ['schemes without a token', 'bearer ', 0],
    ['schemes with a word', 'basic aaaaaaaaaa', 0],
    ['addresses without an end', '://a:', 0],
    ['tokens that begin within a word', '-eyJaaaaaaaa', 0],
    ['parts of tokens', 'eyJaaaaaaaa.', 13_889],
    ['letters', 'a', 0],
    ['headers on one line', 'Authorization: ', 1],
  ])('a long text of %s is searched to its end', (_fact, piece, count) => {
    expect(secretsTold(piece.repeat(Math.ceil(500_000 / piece.length)))).toHaveLength(count)
  })
})
