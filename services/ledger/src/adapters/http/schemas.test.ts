import { readFileSync } from 'node:fs'
import { eventAttributesSchema } from '@a2a-ledger/domain'
import { namesOf, sectionOf } from '@a2a-ledger/domain/testing'
import { describe, expect, test } from 'vitest'
import { batchSchema, eventsQuery, structuredEventSchema } from './schemas.ts'

const event = { specversion: '1.0', id: 'e', source: 's', type: 'a2a.task' }

describe('docs/reference/envelope.md', () => {
  const page = readFileSync(new URL('../../../../../docs/reference/envelope.md', import.meta.url), 'utf8')

  test('lists exactly the attributes of the schema', () => {
    const documented = namesOf(sectionOf(page, '## Attributes'))
    expect(documented.toSorted()).toEqual(Object.keys(eventAttributesSchema.shape).toSorted())
  })
})

describe('the described body', () => {
  test.each([
    ['an event with JSON data', { ...event, data: { a: [1, null] } }, true],
    ['an event with bytes', { ...event, data_base64: 'AA==' }, true],
    ['an extension', { ...event, myextension: 'x' }, true],
    ['a missing id', { ...event, id: undefined }, false],
    ['another version', { ...event, specversion: '0.3' }, false],
  ])('%s: %o', (_, body, isValid) => {
    expect(structuredEventSchema.safeParse(body).success).toBe(isValid)
  })

  test('a batch has at most 1,000 events', () => {
    expect(batchSchema.safeParse(Array.from({ length: 1001 }, () => event)).success).toBe(false)
  })
})

test.each([
  ['all parameters', { after: '0', limit: '1000', correlationId: 'k', workerId: 'w', type: 'a2a.task' }, { after: 0, limit: 1000, correlationId: 'k', workerId: 'w', type: 'a2a.task' }],
  ['empty parameters', { after: '', limit: '', correlationId: '', workerId: '', type: '' }, {}],
  ['none', {}, {}],
  ['an unknown one', { workerid: 'w' }, undefined],
  ['a repeated one', { after: ['1', '2'] }, undefined],
  ['a type of events that there is not', { type: 'a2a.tsak' }, undefined],
])('the query of events with %s', (_, query, expected) => {
  expect(eventsQuery.safeParse(query).data).toEqual(expected)
})
