import { globSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { namesOf, rowsOf, sectionOf } from '@a2a-ledger/domain/testing'
import { describe, expect, it } from 'vitest'

const root = `${import.meta.dirname}/../../..`
const tree = sectionOf(readFileSync(`${root}/ARCHITECTURE.md`, 'utf8'), '## The tree')

/** Folders with files of their own; a folder that only holds `src` and settings is told by the package. */
const folders = new Set(
  globSync('{docs,infra,packages,services,test}/**/*.*', { cwd: root, exclude: (path) => path.endsWith('node_modules') }).map((file) =>
    dirname(file).replaceAll('\\', '/'),
  ),
)

describe('ARCHITECTURE.md, the tree', () => {
  const named = namesOf(tree)

  it('names no folder that is not there', () => {
    expect(named.filter((folder) => !folders.has(folder))).toEqual([])
  })

  it('names every folder that has files, but for the bare `src` of a package', () => {
    expect([...folders].filter((folder) => !folder.endsWith('/src') && !named.includes(folder))).toEqual([])
  })

  it('is in order, each folder once, with a line', () => {
    expect(named.slice(0)).toEqual([...new Set(named)].toSorted())
    expect(rowsOf(tree).filter(([, holds]) => holds === '')).toEqual([])
  })
})
