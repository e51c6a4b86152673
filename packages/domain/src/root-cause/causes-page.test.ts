import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { rowsOf, sectionOf } from '../testing/reference-page.ts'
import { confidences } from './finding.ts'
import { lossCauses, otherCauses } from './precedence.ts'

const page = readFileSync(new URL('../../../../docs/reference/causes.md', import.meta.url), 'utf8')

const rowsUnder = (heading: string) => rowsOf(sectionOf(page, `## ${heading}`))

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
