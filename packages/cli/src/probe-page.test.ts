import { readFileSync } from 'node:fs'
import { probeSteps } from '@a2a-ledger/domain'
import { rowsOf } from '@a2a-ledger/domain/testing'
import { describe, expect, it } from 'vitest'
import { requirements } from './requirements.ts'

const page = readFileSync(new URL('../../../docs/probe.md', import.meta.url), 'utf8')
const tableAfter = (mark: string) => rowsOf(page.split(`<!-- ${mark}: held against the code -->\n\n`)[1]?.split('\n\n')[0] ?? '')

describe('docs/probe.md', () => {
  it('has every step, with what it does', () => {
    expect(tableAfter('steps')).toEqual(Object.entries(probeSteps).map(([name, { says }]) => [`\`${name}\``, says]))
  })

  it('has every requirement, with what it means', () => {
    expect(tableAfter('requirements')).toEqual(Object.entries(requirements).map(([name, { says }]) => [`\`${name}\``, says]))
  })
})
