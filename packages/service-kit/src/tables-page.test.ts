import { readFileSync } from 'node:fs'
import { namesOf, rowsOf, sectionOf, titlesOf } from '@a2a-ledger/domain/testing'
import { describe, expect, it } from 'vitest'

const root = `${import.meta.dirname}/../../..`
const page = readFileSync(`${root}/docs/reference/tables.md`, 'utf8')

interface Relation {
  readonly name: string
  readonly columns: readonly string[]
  /** `a2a_ledger_service may insert, select`, … */
  readonly rights: readonly string[]
  readonly definition: string
}

/** What `schema.sql` declares, in the form that `dumpSchema` writes. */
const relationsOf = (schema: string): readonly Relation[] =>
  schema.split('\n\n').flatMap((definition) => {
    const name = /^CREATE (?:TABLE|VIEW) (\w+)/.exec(definition)?.[1]
    if (name === undefined) return []
    const rights = [...definition.matchAll(/^-- (\w+ may .+)$/gm)].map(([, right]) => right ?? '')
    return [{ name, columns: definition.startsWith('CREATE VIEW') ? viewColumns(definition) : tableColumns(definition), rights, definition }]
  })

const tableColumns = (definition: string): readonly string[] =>
  [...(definition.split('\n)')[0] ?? '').matchAll(/^ {2}"?([a-z_]+)"? [a-z]/gm)].map(([, column]) => column ?? '')

/** PostgreSQL writes one column of a view a line; its name is the last word. */
const viewColumns = (definition: string): readonly string[] =>
  (/ SELECT (.*?)\n\s+FROM /s.exec(definition)?.[1] ?? '').split('\n').map((line) => /(\w+)"?,?$/.exec(line)?.[1] ?? '')

describe.each([
  ['Ledger', 'ledger'],
  ['Reconciler', 'reconciler'],
])('docs/reference/tables.md: %s', (title, service) => {
  const relations = relationsOf(readFileSync(`${root}/services/${service}/schema.sql`, 'utf8'))
  const section = sectionOf(page, `## ${title}`)

  it('has a section for every table and view of schema.sql, and for no other', () => {
    expect(titlesOf(section, '###').toSorted()).toEqual(relations.map(({ name }) => name).toSorted())
  })

  it.each(relations)('$name: exactly its columns, in their order, each with a meaning', ({ name, columns }) => {
    const own = sectionOf(section, `### \`${name}\``)
    expect(columns.length).toBeGreaterThan(0)
    expect(namesOf(own)).toEqual(columns)
    expect(rowsOf(own).filter(([, meaning]) => meaning === '')).toEqual([])
  })

  it.each(relations)('$name: exactly the rights that the schema grants', ({ name, rights }) => {
    const line = /^- \*\*Rights\.\*\* (.*)$/m.exec(sectionOf(section, `### \`${name}\``))?.[1] ?? ''
    const told = [...line.matchAll(/`(\w+)` (may [a-z, ]+)\./g)].map(([, role, may]) => `${role} ${may}`)
    expect(told.toSorted()).toEqual(rights)
  })

  it.each(relations)('$name: is said to change exactly where no trigger refuses it', ({ name, definition }) => {
    const line = /^- \*\*Changes\.\*\* (.*)$/m.exec(sectionOf(section, `### \`${name}\``))?.[1]
    const isWhollyRefused = definition.includes('BEFORE DELETE OR UPDATE')
    const isErasable = definition.includes('refuse_delete_but_erasure')
    if (isErasable) expect(line).toBe('Never; an erasure deletes it.')
    else if (isWhollyRefused) expect(line).toMatch(/^Never\b(?!; an erasure)/)
    else expect(line ?? '').not.toMatch(/^Never/)
  })

  it.each(relations)('$name: names a rule it serves', ({ name }) => {
    expect(sectionOf(section, `### \`${name}\``)).toMatch(/^- \*\*Rules\.\*\* [LKFVP]\d+(?:, [LKFVP]\d+)*\.$/m)
  })
})
