import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { confidences } from './finding.ts'
import { lossCauses, otherCauses } from './precedence.ts'

const page = readFileSync(new URL('../../../../docs/reference/causes.md', import.meta.url), 'utf8')

/** The cells of every table row under one heading, without its head. */
const rowsUnder = (heading: string): readonly (readonly string[])[] =>
  (page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').slice(1, -1).map((cell) => cell.trim()))

describe('docs/reference/causes.md', () => {
  it.each([
    ['Loss causes', lossCauses],
    ['Other findings', otherCauses],
  ])('%s: the rows are those of the code, in its order', (heading, causes) => {
    const told = rowsUnder(heading).map(([cause, , , , responsible, nextAction]) => ({ cause, responsible, nextAction }))
    expect(told).toEqual(
      causes.map(({ cause, responsible, nextAction }) => ({ cause: `\`${cause}\``, responsible, nextAction })),
    )
  })

  it('every row says what the cause means, its evidence and how sure it is', () => {
    for (const [cause, means, evidence, confidence] of [...rowsUnder('Loss causes'), ...rowsUnder('Other findings')]) {
      expect(means, cause).toMatch(/^[A-Z].*\.$/)
      expect(evidence, cause).toMatch(/\.$/)
      expect(confidences.some((each) => confidence?.startsWith(each)), cause).toBe(true)
    }
  })

  it('the confidences are those of the code, the surest first', () => {
    expect(rowsUnder('Confidence').map(([confidence]) => confidence)).toEqual(confidences.map((each) => `\`${each}\``))
  })
})
