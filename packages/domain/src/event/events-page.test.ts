import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { factsOf } from '../fact/facts-of.ts'
import { testCodec } from '../testing/codec.ts'
import { rowsOf, sectionOf, titlesOf } from '../testing/reference-page.ts'
import type { EventAttributes } from './envelope.ts'
import { gapReasons, gapSchema } from './gap.ts'
import { eventAttributesSchema, validateAttributes } from './parse-envelope.ts'
import { eventTypes } from './types/index.ts'

const page = readFileSync(new URL('../../../../docs/reference/events.md', import.meta.url), 'utf8')
const sections = eventTypes.map((each) => ({ ...each, section: sectionOf(page, `## \`${each.type}\``) }))

const lineOf = (section: string, title: string): string =>
  new RegExp(`^- \\*\\*${title}\\.\\*\\* ([^]*?)(?=\\n(?:- |\\n|$))`, 'm').exec(section)?.[1] ?? ''

const namesIn = (text: string): readonly string[] => [...text.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name ?? '')

const exampleOf = (section: string): Record<string, unknown> | undefined => {
  const text = /^```json\n([^]*?)\n```$/m.exec(section)?.[1]
  return text === undefined ? undefined : (JSON.parse(text) as Record<string, unknown>)
}

describe('docs/reference/events.md', () => {
  it('has a section for every type, in the order of the table, and no other', () => {
    expect(titlesOf(page, '##')).toEqual(eventTypes.map(({ type }) => type))
  })

  it.each(sections)('$type: says what it needs', ({ section, isWorkerRequired, isCorrelationRequired, isDataRequired, isReserved }) => {
    const needs = [isWorkerRequired && '`workerid`', isCorrelationRequired && '`correlationid`', isDataRequired && 'data'].filter(Boolean)
    expect(lineOf(section, 'Needs')).toBe(`${needs.join(', ')}${isReserved ? '; made by this deployment alone' : ''}.`)
  })

  it.each(sections)('$type: its example gives the facts that the page says', ({ type, section }) => {
    const [task = '', worker = ''] = lineOf(section, 'Facts').split(';')
    const told = { stream: namesIn(task), worker: namesIn(worker) }
    const example = exampleOf(section)
    if (example === undefined) {
      expect(section).toContain('Reserved. Nothing writes it yet')
      expect(told).toEqual({ stream: [], worker: [] })
      return
    }
    const { data, ...envelope } = example
    expect(envelope['type']).toBe(type)
    const attributes = eventAttributesSchema.parse(envelope) as EventAttributes
    expect(validateAttributes(attributes, type.startsWith('a2a.') || type.startsWith('orch') ? 'witness' : 'deployment')).toBeUndefined()
    const facts = factsOf(
      {
        position: 8,
        recordedAtMs: Date.parse('2026-03-01T12:00:00Z'),
        attributes,
        correlationId: attributes.correlationid ?? '~w1/t-1',
        rung: 'explicit',
        data: JSON.stringify(data),
        digest: undefined,
      },
      testCodec,
    )
    expect({ stream: facts.stream.map(({ kind }) => kind), worker: facts.worker.map(({ kind }) => kind) }).toEqual(told)
    expect([...facts.stream, ...facts.worker].flatMap(({ notes }) => notes ?? [])).toEqual([])
    if (type === 'a2a.agent-card') expect(facts.worker).toMatchObject([{ isValid: true }])
  })

  it('gives the reasons of a gap as the schema has them', () => {
    const section = sectionOf(page, '## `ledger.gap`')
    expect(rowsOf(section)).toEqual(Object.entries(gapReasons).map(([reason, meaning]) => [`\`${reason}\``, meaning]))
    expect(gapSchema.safeParse(exampleOf(section)?.['data']).error).toBeUndefined()
  })

  it.each(sections)('$type: says what it means, or that it is reserved', ({ section }) => {
    expect(lineOf(section, 'Says') !== '' || section.includes('Reserved.')).toBe(true)
  })
})
