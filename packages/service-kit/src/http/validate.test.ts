import type { FastifyBaseLogger } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type App, createApp } from './app.ts'
import { idText, optional, wholeNumber } from './parameters.ts'

const nothing = (): void => undefined
const silent: FastifyBaseLogger = {
  level: 'silent',
  fatal: nothing,
  error: nothing,
  warn: nothing,
  info: nothing,
  debug: nothing,
  trace: nothing,
  silent: nothing,
  child: () => silent,
}

let app: App
beforeAll(async () => {
  app = createApp({ logger: silent, bodyBytesMax: 1024 * 1024 })
  app.route({
    method: ['GET', 'PUT'],
    url: '/v1/things/:thing',
    schema: {
      params: z.object({ thing: z.string().max(3) }),
      querystring: z.strictObject({ state: optional(z.enum(['on', 'off'])), limit: optional(wholeNumber(1, 10)), name: optional(idText) }),
    },
    handler: async () => ({}),
  })
  app.put('/v1/body', {
    schema: {
      body: z.strictObject({
        kind: z.enum(['a', 'b']).optional(),
        count: z.int().min(1).max(9).optional(),
        name: z.string().min(1).max(5).optional(),
        names: z.array(z.string()).max(2).optional(),
        tags: z.array(z.string()).optional(),
        inner: z.strictObject({ url: z.url().optional(), isOn: z.boolean() }).optional(),
        at: z.iso.datetime({ offset: true }).optional(),
        own: z.string().regex(/^x/, 'does not begin with x').optional(),
      }),
    },
    handler: async () => ({}),
  })
  app.get('/healthz', { schema: {}, handler: async () => ({}) })
})
afterAll(async () => {
  await app.close()
})

const faultOf = async (method: 'GET' | 'PUT', url: string, payload?: unknown) => {
  const response = await app.inject({ method, url, ...(payload === undefined ? {} : { payload: JSON.stringify(payload), headers: { 'content-type': 'application/json' } }) })
  return [response.statusCode, response.json<{ code?: string; detail?: string }>().code, response.json<{ detail?: string }>().detail]
}

describe('a query', () => {
  test.each([
    ['state=bogus', 'The query parameter `state` is not known; send one of on, off.'],
    ['state=on&state=off', 'The query parameter `state` comes more than once; send it once.'],
    ['limit=1&limit=2', 'The query parameter `limit` comes more than once; send it once.'],
    ['name=a&name=b', 'The query parameter `name` comes more than once; send it once.'],
    ['limit=0', 'The query parameter `limit` is not a whole number from 1 to 10.'],
    ['limit=-1', 'The query parameter `limit` is not a whole number from 1 to 10.'],
    ['limit=1e1', 'The query parameter `limit` is not a whole number from 1 to 10.'],
    ['limit=99999999999999999999', 'The query parameter `limit` is not a whole number from 1 to 10.'],
    ['name=%00', 'The query parameter `name` has control characters.'],
    ['stat=on', 'The query has no parameter `stat`; there are state, limit, name.'],
    ['state=x&limit=y', 'The query parameter `state` is not known; send one of on, off. The query parameter `limit` is not a whole number from 1 to 10.'],
  ])('%s', async (query, detail) => {
    expect(await faultOf('GET', `/v1/things/a?${query}`)).toEqual([400, 'parameter_invalid', detail])
  })

  test('of a route that takes none is refused, and of one outside the API it is not', async () => {
    expect(await faultOf('PUT', '/v1/body?dry=1', {})).toEqual([400, 'parameter_invalid', 'The query has no parameter `dry`; send none.'])
    expect((await app.inject('/healthz?at=1')).statusCode).toBe(200)
  })

  test('with empty parameters is one without them', async () => {
    expect((await app.inject('/v1/things/a?state=&limit=&name=')).statusCode).toBe(200)
  })
})

test('a path parameter that does not fit is named', async () => {
  expect(await faultOf('GET', '/v1/things/abcd')).toEqual([400, 'parameter_invalid', 'The path parameter `thing` is longer than 3 characters; send at most that.'])
})

describe('a body', () => {
  test.each<[unknown, string]>([
    [[], 'The body is an array; send a JSON object.'],
    ['text', 'The body is a string; send a JSON object.'],
    [null, 'The body is null; send a JSON object.'],
    [{ knd: 'a' }, 'The body has no member `knd`; there are kind, count, name, names, tags, inner, at, own.'],
    [{ kind: 'c' }, 'The body member `kind` is not known; send one of a, b.'],
    [{ kind: ['a'] }, 'The body member `kind` is not known; send one of a, b.'],
    [{ count: '3' }, 'The body member `count` is a string; send a number.'],
    [{ count: 1.5 }, 'The body member `count` is a fraction; send a whole number.'],
    [{ count: 0 }, 'The body member `count` is less than 1; send at least that.'],
    [{ count: 10 }, 'The body member `count` is more than 9; send at most that.'],
    [{ name: '' }, 'The body member `name` is empty; leave it out, or send something.'],
    [{ name: 'abcdef' }, 'The body member `name` is longer than 5 characters; send at most that.'],
    [{ name: null }, 'The body member `name` is null; send a string.'],
    [{ names: 'a' }, 'The body member `names` is a string; send an array.'],
    [{ names: ['a', 'b', 'c'] }, 'The body member `names` has more than 2 entries; send at most that.'],
    [{ names: ['a', 1] }, 'The body member `names[1]` is a number; send a string.'],
    [{ inner: { isOn: true, uri: '' } }, 'The body member `inner` has no member `uri`; there are url, isOn.'],
    [{ inner: {} }, 'The body member `inner.isOn` is missing; send true or false.'],
    [{ inner: { isOn: true, url: 'nowhere' } }, 'The body member `inner.url` is no http or https URL; send one such as https://agents.example/a.'],
    [{ at: 'yesterday' }, 'The body member `at` is no RFC 3339 time; send one such as 2026-11-01T10:00:00Z.'],
    [{ own: 'y' }, 'The body member `own` does not begin with x.'],
  ])('%j', async (body, detail) => {
    expect(await faultOf('PUT', '/v1/body', body)).toEqual([400, 'parameter_invalid', detail])
  })

  test('that is wrong in many places is answered with ten of them', async () => {
    const [, , detail = ''] = await faultOf('PUT', '/v1/body', { tags: Array.from({ length: 14 }, () => 1) })
    expect(String(detail).match(/The body member/g)).toHaveLength(10)
    expect(detail).toMatch(/And 4 more\.$/)
  })

  test('is never repeated in the answer: it may hold a secret', async () => {
    const [, , detail] = await faultOf('PUT', '/v1/body', { kind: 'my-secret', count: 'my-secret', names: 'my-secret' })
    expect(detail).not.toContain('my-secret')
  })
})
