import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { redispatchModes } from '../event/mesh-policy.ts'
import { verdictDataSchema } from '../event/verdict.ts'
import { namesOf, rowsOf, sectionOf, titlesOf } from '../testing/reference-page.ts'
import type { VerdictKind } from './answer.ts'
import { heldReasons } from './next-act.ts'

const page = readFileSync(new URL('../../../../docs/reference/verdicts.md', import.meta.url), 'utf8')

const kinds = Object.keys({
  'terminal-ok': true,
  'closed-by-policy': true,
  resume: true,
  reobserve: true,
  redispatch: true,
  unreconcilable: true,
} satisfies Record<VerdictKind, true>) as VerdictKind[]

describe('docs/reference/verdicts.md', () => {
  it('has a section for every kind, and no other', () => {
    expect(titlesOf(page, '##')).toEqual([...kinds, 'Candidates', 'Risk', 'Modes', 'Canceling the loser', 'Held'])
  })

  it.each(kinds)('%s: says when, by which evidence, what the caller does and how risky it is', (kind) => {
    const section = sectionOf(page, `## \`${kind}\``)
    for (const title of ['When', 'Evidence', 'Caller', 'Recorded', 'Risk']) expect(section).toContain(`- **${title}.** `)
  })

  it.each(kinds)('%s: is said to be recorded exactly when the ledger takes it', (kind) => {
    const told = /^- \*\*Recorded\.\*\* (Yes|No, derived)/m.exec(sectionOf(page, `## \`${kind}\``))?.[1]
    const recorded: readonly string[] = verdictDataSchema.shape.kind.options
    expect(told).toBe(recorded.includes(kind) ? 'Yes' : 'No, derived')
  })

  it('the reasons against a candidate are those of the schema, in the order of V7', () => {
    const { because } = verdictDataSchema.shape.considered.element.shape
    expect(namesOf(sectionOf(page, '## Candidates'))).toEqual(because.unwrap().options)
  })

  it('the modes are those of a mesh, and the reasons to hold those of the code, in order and in their words', () => {
    expect(namesOf(sectionOf(page, '## Modes'))).toEqual(redispatchModes)
    expect(rowsOf(sectionOf(page, '## Held'))).toEqual(Object.entries(heldReasons).map(([reason, meaning]) => [`\`${reason}\``, meaning]))
  })

  it('the risks are those of the schema', () => {
    expect(namesOf(sectionOf(page, '## Risk'))).toEqual(verdictDataSchema.shape.duplicateRisk.options)
  })
})
