import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { DivergenceKind } from '../task/analysis.ts'
import { sectionOf, titlesOf } from '../testing/reference-page.ts'
import { violationTable, type ViolationCode } from './violation.ts'

const pageOf = (name: string): string => readFileSync(new URL(`../../../../docs/reference/${name}.md`, import.meta.url), 'utf8')

describe('docs/reference/violations.md', () => {
  const page = pageOf('violations')
  const codes = Object.keys(violationTable) as ViolationCode[]

  it('has a section for every code, in the order of the table, and no other', () => {
    expect(titlesOf(page, '##')).toEqual(codes)
  })

  it.each(codes)('%s: begins with the words of the table, and says what shows it, an example, what to do', (code) => {
    const section = sectionOf(page, `## \`${code}\``)
    expect(section.trim().split('\n')[0]).toBe(violationTable[code])
    for (const title of ['Shown by', 'Example', 'What to do']) {
      expect(section).toMatch(new RegExp(`^- \\*\\*${title}\\.\\*\\* \\S.*\\.$`, 'm'))
    }
  })
})

describe('docs/reference/divergences.md', () => {
  const page = pageOf('divergences')
  const kinds = Object.keys({
    'task-id': true,
    outcome: true,
    'media-type': true,
    state: true,
  } satisfies Record<DivergenceKind, true>)

  it('has a section for every kind, and no other', () => {
    expect(titlesOf(page, '##')).toEqual(kinds)
  })

  it.each(kinds)('%s: says when, which positions, what to do', (kind) => {
    const section = sectionOf(page, `## \`${kind}\``)
    for (const title of ['Positions', 'When', 'What to do']) expect(section).toContain(`- **${title}.** `)
  })
})
