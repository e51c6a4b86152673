/** What fuzzing found: each is a case that did not hold once, committed, and run on every test. */
import { createHash } from 'node:crypto'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FuzzCase } from './fuzz-case.ts'

export interface Found {
  /** What did not hold. */
  readonly because: string
  readonly inputs: FuzzCase
}

const folder = new URL('found/', import.meta.url)

export const readFound = (): readonly (Found & { readonly name: string })[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => ({ name, ...(JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Found) }))

/** Writes a new one; answers its path. */
export const writeFound = (found: Found): string => {
  const text = `${JSON.stringify(found, null, 2)}\n`
  const file = new URL(`${createHash('sha256').update(text).digest('hex').slice(0, 12)}.json`, folder)
  writeFileSync(file, text)
  return fileURLToPath(file)
}
