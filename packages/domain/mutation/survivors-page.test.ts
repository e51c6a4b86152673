import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pageOf, percentOf, readPage, withReasons, type Measured } from './survivors-page.ts'

const committed = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'mutation-survivors.md'), 'utf8')

const task: Measured = {
  folder: 'task',
  mutants: 20,
  day: '2026-01-01',
  survivors: [
    { file: 'task/life.ts', line: 7, reason: 'tie', change: 'a < b → a <= b' },
    { file: 'task/life.ts', line: 1_234, reason: 'word', change: "`#${at}` → ``" },
    { file: 'task/order.ts', line: 9, reason: '?', change: 'a | b → "" && ?' },
  ],
}
const fact: Measured = { folder: 'fact', mutants: 3, day: '2026-02-03', survivors: [] }

describe('the page of survivors', () => {
  it('says again what was read from it', () => {
    expect(readPage(pageOf([fact, task]))).toEqual([fact, task])
    expect(readPage('')).toEqual([])
  })

  it('counts the survivors of each reason, and those without one', () => {
    const rows = pageOf([fact, task]).split('\n').filter((line) => /^\| (`tie`|`word`|`\?`|all) /.test(line))
    expect(rows.map((line) => line.split('|').slice(1, 5).map((cell) => cell.trim()))).toEqual([
      ['`word`', '0', '1', '1'],
      ['`tie`', '0', '1', '1'],
      ['`?`', '0', '1', '1'],
      ['all', '0', '3', '3'],
    ])
  })

  it('has the score as share of what was tried', () => {
    expect([percentOf(task), percentOf(fact)]).toEqual([85, 100])
    expect(pageOf([task])).toContain('| `task` | 20 | 17 | 85.0 % | 2026-01-01 |')
  })

  it('as committed says itself again, with a reason for every survivor and 85 % in every folder', () => {
    const measured = readPage(committed)
    expect(pageOf(measured)).toBe(committed)
    expect(measured.map(({ folder }) => folder)).toEqual(['media-type', 'reconcile', 'root-cause', 'fact', 'task'])
    expect(measured.flatMap(({ survivors }) => survivors).filter(({ reason }) => reason === '?')).toEqual([])
    expect(measured.filter((each) => percentOf(each) < 85)).toEqual([])
  })
})

describe('a reason', () => {
  const bare = (file: string, line: number, change: string) => ({ file, line, change })
  const reasonsOf = (...survivors: readonly ReturnType<typeof bare>[]) =>
    withReasons({ ...task, survivors }, task.survivors).survivors.map(({ line, reason }) => `${line} ${reason}`)

  it('stays with its change, wherever the line is', () => {
    expect(reasonsOf(bare('task/life.ts', 99, 'a < b → a <= b'))).toEqual(['99 tie'])
  })

  it('is not that of another change or file', () => {
    expect(reasonsOf(bare('task/life.ts', 7, 'a < b → a >= b'), bare('task/order.ts', 7, 'a < b → a <= b'))).toEqual(['7 ?', '7 ?'])
  })

  it('is for one survivor: a second one like it needs its own', () => {
    expect(reasonsOf(bare('task/life.ts', 7, 'a < b → a <= b'), bare('task/life.ts', 8, 'a < b → a <= b'))).toEqual(['7 tie', '8 ?'])
  })
})
