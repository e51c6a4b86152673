import type { TaskFact } from '@a2a-ledger/domain'
import { describe, expect, test } from 'vitest'
import { compactionOf } from './compact-task.ts'

const report = (position: number, atMs = position * 1_000): TaskFact => ({
  kind: 'report',
  form: 'snapshot',
  channel: 'answer',
  position,
  source: 'poller',
  atMs,
  recordedAtMs: atMs,
  workerId: 'w',
  taskId: 't',
  operation: 'GetTask',
  state: 'working',
})

const recordOf = (facts: readonly TaskFact[], compactedCount = 0) => ({
  correlationId: 'k',
  firstPosition: 1,
  lastPosition: facts.length,
  facts,
  compactedCount,
  workers: new Map(),
})

const polls = (count: number) => Array.from({ length: count }, (_, n) => report(n + 1))

describe('a task that was polled for long', () => {
  test('is left as it is while it is short', () => {
    expect(compactionOf(recordOf(polls(199)))).toBeUndefined()
  })

  test('keeps first, last and the newest fifty', () => {
    const compaction = compactionOf(recordOf(polls(300)))
    expect(compaction).toMatchObject({ correlationId: 'k', lastPosition: 300, count: 52, untilMs: 250_000 })
    expect(compaction?.insidePositions).toEqual(Array.from({ length: 248 }, (_, n) => n + 2))
  })

  test('is gone through again only when it has grown by half', () => {
    expect(compactionOf(recordOf(polls(299), 200))).toBeUndefined()
    expect(compactionOf(recordOf(polls(300), 200))).toBeDefined()
  })

  test('keeps everything when one of the newest lies inside a run', () => {
    const facts = [...polls(299), report(300, 100_500)]
    expect(compactionOf(recordOf(facts))).toMatchObject({ insidePositions: [], count: 300 })
  })
})
