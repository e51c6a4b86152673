import { readFileSync } from 'node:fs'
import { errorTable, type ErrorCode, quarantineReasons } from '@a2a-ledger/domain'
import { rowsOf, sectionOf } from '@a2a-ledger/domain/testing'
import { describe, expect, test } from 'vitest'
import { problemHeaders, problemOf } from './problem.ts'

const codes = Object.keys(errorTable) as ErrorCode[]

describe('docs/reference/errors.md', () => {
  const page = readFileSync(new URL('../../../../docs/reference/errors.md', import.meta.url), 'utf8')
  const rowsUnder = (heading: string) => rowsOf(sectionOf(page, `## ${heading}`))

  test('lists exactly the codes of the error table, in its order, with kind and status', () => {
    expect(rowsUnder('Codes').map(([code, kind, status]) => [code, kind, status])).toEqual(
      codes.map((code) => [`\`${code}\``, errorTable[code].kind, String(problemOf(code, '').status)]),
    )
  })

  test('lists exactly the quarantine reasons, in their order', () => {
    expect(rowsUnder('Quarantine reasons').map(([reason]) => reason)).toEqual(
      Object.keys(quarantineReasons).map((reason) => `\`${reason}\``),
    )
  })

  test('has a meaning and an advice in every row', () => {
    const rows = [...rowsUnder('Codes'), ...rowsUnder('Quarantine reasons')]
    expect(rows.filter((row) => row.at(-1) === '' || row.at(-2) === '')).toEqual([])
  })
})

test.each(codes)('the status of %s fits its kind', (code) => {
  const { kind } = errorTable[code]
  const { status } = problemOf(code, '')
  const fits = {
    rejected: status >= 400 && status < 500,
    conflict: status === 409,
    unavailable: status >= 502 && status <= 504,
    defect: status === 500,
  }
  expect(fits[kind]).toBe(true)
})

test('what may come again says when', () => {
  expect(problemHeaders(problemOf('overloaded', ''))).toMatchObject({ 'retry-after': '1' })
  expect(problemHeaders(problemOf('internal', ''))).not.toHaveProperty('retry-after')
})
