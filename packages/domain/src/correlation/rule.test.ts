import { describe, expect, test } from 'vitest'
import { eventAttributesSchema } from '../event/parse-envelope.ts'
import { applyRule, correlationRuleSchema, type CorrelationRule, type Stated } from './rule.ts'

const stated = (more: Partial<Stated>): Stated => ({ attributes: {}, metadata: [], isOfWork: true, ...more })
const metadata = (...objects: readonly unknown[]): Stated => stated({ metadata: objects.map((object) => JSON.stringify(object)) })
const traceparent = (text: string): Stated => stated({ attributes: { traceparent: text } })
const trace = '4bf92f3577b34da6a3ce929d0e0e4736'

const rows: readonly (readonly [name: string, rule: CorrelationRule, given: Stated, found: string | undefined])[] = [
  ['a member of the metadata', { from: 'metadata', pointer: '/order' }, metadata({ order: 'o-1' }), 'o-1'],
  ['a member inside', { from: 'metadata', pointer: '/order/id' }, metadata({ order: { id: 'o-1' } }), 'o-1'],
  ['an item of a list', { from: 'metadata', pointer: '/orders/1' }, metadata({ orders: ['o-0', 'o-1'] }), 'o-1'],
  ['a name with a slash and a tilde', { from: 'metadata', pointer: '/a~1b~0c' }, metadata({ 'a/b~c': 'o-1' }), 'o-1'],
  ['a whole number, digit by digit', { from: 'metadata', pointer: '/n' }, stated({ metadata: ['{"n":12345678901234567890}'] }), '12345678901234567890'],
  ['the first metadata that has it', { from: 'metadata', pointer: '/order' }, metadata({ other: 1 }, { order: 'o-2' }, { order: 'o-3' }), 'o-2'],
  ['nothing where the member is missing', { from: 'metadata', pointer: '/order/id' }, metadata({ order: 'o-1' }), undefined],
  ['nothing where it is empty', { from: 'metadata', pointer: '/order' }, metadata({ order: '' }), undefined],
  ['nothing where it is no text: a fraction', { from: 'metadata', pointer: '/n' }, metadata({ n: 1.5 }), undefined],
  ['nothing where it is no text: true, null, an object', { from: 'metadata', pointer: '/x' }, metadata({ x: true }, { x: null }, { x: {} }), undefined],
  ['nothing past the end of a list', { from: 'metadata', pointer: '/orders/2' }, metadata({ orders: ['a', 'b'] }), undefined],
  ['nothing where there is no metadata', { from: 'metadata', pointer: '/order' }, stated({}), undefined],
  ['a recorded attribute', { from: 'attribute', name: 'xorderid' }, stated({ attributes: { xorderid: 'o-1' } }), 'o-1'],
  ['an attribute of a poll too', { from: 'attribute', name: 'xorderid' }, stated({ attributes: { xorderid: 'o-1' }, isOfWork: false }), 'o-1'],
  ['the trace of the work', { from: 'trace' }, traceparent(`00-${trace}-00f067aa0ba902b7-01`), trace],
  ['the trace of a later version of the header', { from: 'trace' }, traceparent(`01-${trace}-00f067aa0ba902b7-01-more`), trace],
  ['no trace of zeros', { from: 'trace' }, traceparent(`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`), undefined],
  ['no trace of a version that is none', { from: 'trace' }, traceparent(`ff-${trace}-00f067aa0ba902b7-01`), undefined],
  ['no trace of a question about the work', { from: 'trace' }, { ...traceparent(`00-${trace}-00f067aa0ba902b7-01`), isOfWork: false }, undefined],
  ['a context, at this worker', { from: 'context' }, stated({ contextId: 'c~1' }), 'w%2F1/c%7E1'],
  ['a context, wherever it is', { from: 'context', acrossWorkers: true }, stated({ contextId: 'c-1' }), 'c-1'],
  ['a prefix keeps it apart', { from: 'attribute', name: 'x', prefix: 'order:' }, stated({ attributes: { x: '7' } }), 'order:7'],
  ['K4: nothing that begins with ~', { from: 'attribute', name: 'x' }, stated({ attributes: { x: '~w1/t-1' } }), undefined],
  ['a prefix makes such a value usable', { from: 'attribute', name: 'x', prefix: 'x' }, stated({ attributes: { x: '~w1' } }), 'x~w1'],
  ['nothing with control characters', { from: 'attribute', name: 'x' }, stated({ attributes: { x: 'a\u0000b' } }), undefined],
  ['nothing that is longer than an id can be', { from: 'attribute', name: 'x', prefix: 'p' }, stated({ attributes: { x: 'a'.repeat(1024) } }), undefined],
]

test.each(rows)('a rule finds %s', (_, rule, given, found) => {
  expect(applyRule(rule, given, 'w/1')).toBe(found)
})

describe('a rule', () => {
  test.each<[string, unknown]>([
    ['reads nothing it does not know', { from: 'header', name: 'x' }],
    ['has no member that it does not know', { from: 'trace', pointer: '/x' }],
    ['has a pointer to a member', { from: 'metadata', pointer: '' }],
    ['has a pointer that begins with a slash', { from: 'metadata', pointer: 'order' }],
    ['has a pointer whose tildes are escaped', { from: 'metadata', pointer: '/a~2' }],
    ['does not merge all that a worker does', { from: 'attribute', name: 'workerid' }],
    ['does not merge what comes on one connection', { from: 'attribute', name: 'Stream-Id' }],
    ['L10: shows no credential', { from: 'attribute', name: 'Authorization' }],
    ['has no name of dashes alone', { from: 'attribute', name: '--' }],
    ['K4: does not make IDs of the ledger', { from: 'trace', prefix: '~' }],
  ])('%s', (_, rule) => {
    expect(correlationRuleSchema.safeParse(rule).success).toBe(false)
  })

  test('names a header as the attribute that it is recorded under', () => {
    expect(correlationRuleSchema.parse({ from: 'attribute', name: 'X-Order-Id' })).toEqual({ from: 'attribute', name: 'xorderid' })
  })
})

test.each(Object.keys(eventAttributesSchema.shape))('the envelope gives %s a meaning of its own: no rule reads it', (name) => {
  expect(correlationRuleSchema.safeParse({ from: 'attribute', name }).success).toBe(false)
})
