import { readFileSync } from 'node:fs'
import { memberPathsOf, namesOf, sectionOf } from '@a2a-ledger/domain/testing'
import { expect, test } from 'vitest'
import { readySchema } from './schemas.ts'

const page = readFileSync(new URL('../../../../../docs/deploy.md', import.meta.url), 'utf8')

test('docs/deploy.md says what every member of /readyz means', () => {
  expect(namesOf(sectionOf(page, '### Reconciler')).toSorted()).toEqual(memberPathsOf(readySchema).toSorted())
})
