import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const folder = import.meta.dirname
const listed = [...readFileSync(`${folder}/../../../docs/reference/rules.md`, 'utf8').matchAll(/^- \*\*([KFV]\d+)\*\* \S/gm)].map(
  ([, rule]) => rule ?? '',
)

/** Titles and row names begin with the numbers of the rules that they are about: `F9`, `F3, F9`. */
const titlesIn = (text: string): readonly string[] =>
  [...text.matchAll(/['"`]([KFV]\d+(?:(?:, | and )[KFV]\d+)*)[:) ][^'"`\n]+['"`]/g)].flatMap(([, rules]) => rules?.match(/[KFV]\d+/g) ?? [])

const named = new Map(
  globSync('**/*.test.ts', { cwd: folder }).map((file) => [file, titlesIn(readFileSync(`${folder}/${file}`, 'utf8'))]),
)

describe('the rules of the domain', () => {
  it('the list holds every number once, without a gap', () => {
    const numbers = (letter: string, count: number) => Array.from({ length: count }, (_, index) => `${letter}${index + 1}`)
    expect(listed).toEqual([...numbers('K', 7), ...numbers('F', 19), ...numbers('V', 9)])
  })

  it.each(listed)('%s has a row in a decision table', (rule) => {
    expect([...named].filter(([, rules]) => rules.includes(rule)).map(([file]) => file)).not.toEqual([])
  })

  it('every rule that a test names is in the list', () => {
    const unknown = [...named].flatMap(([file, rules]) => rules.filter((rule) => !listed.includes(rule)).map((rule) => `${rule} in ${file}`))
    expect(unknown).toEqual([])
  })
})
