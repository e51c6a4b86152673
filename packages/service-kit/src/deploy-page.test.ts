import { globSync, readFileSync } from 'node:fs'
import { namesOf, rowsOf, sectionOf } from '@a2a-ledger/domain/testing'
import { describe, expect, it } from 'vitest'

const root = `${import.meta.dirname}/../../..`
const section = sectionOf(readFileSync(`${root}/docs/deploy.md`, 'utf8'), '## Log lines')

const sources = globSync('{services/*/src,packages/service-kit/src,packages/witness/src/recording}/**/*.ts', { cwd: root })
  .filter((path) => !path.endsWith('.test.ts'))
  .map((path) => readFileSync(`${root}/${path}`, 'utf8'))

/** Every line that is logged, with its levels; `[level]` is one of two. */
const logged = new Map<string, Set<string>>()
for (const source of sources) {
  const calls = source.matchAll(/\blog(?:ger)?(?:\.(info|warn|error)|\[level\])\([^\n]*?(?:'([^'\n]+)'|`([^`$\n]+?) ?\$\{text\}`)\)/gu)
  for (const [, level, plain, withText] of calls) {
    const line = plain ?? withText ?? ''
    logged.set(line, new Set([...(logged.get(line) ?? []), ...(level === undefined ? ['warn', 'error'] : [level])]))
  }
  const sentences = source.matchAll(/'(The \w+ cannot start:)'|`(The database is not ready for the|Cannot listen on HOST|The folder) \$\{/gu)
  for (const [, whole, begun] of sentences) logged.set(whole ?? begun ?? '', new Set(['stderr']))
}
logged.set('Server listening at', new Set(['info'])) // of Fastify itself

describe('docs/deploy.md, log lines', () => {
  it('are all that are logged, and no others', () => {
    expect(namesOf(section).toSorted()).toEqual([...logged.keys()].toSorted())
  })

  it('have the levels at which they are logged', () => {
    for (const row of rowsOf(section)) {
      const [first = '', levels = ''] = row
      const expected = new Set(namesOf(`| ${first} |`).flatMap((line) => [...(logged.get(line) ?? [])]))
      expect(new Set(levels.split(', ')), first).toEqual(expected)
    }
  })
})
