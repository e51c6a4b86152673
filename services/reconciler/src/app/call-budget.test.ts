import { describe, expect, it } from 'vitest'
import { callsAtOnceMax, createCallBudget } from './call-budget.ts'

describe('the calls that may be made', () => {
  it('are a few at once, and then so many a minute', () => {
    let nowMs = 5_000
    const budget = createCallBudget(60, { elapsedMs: () => nowMs })
    expect(budget.left()).toBe(callsAtOnceMax)
    budget.spend(callsAtOnceMax)
    expect([budget.left(), budget.nextInMs()]).toEqual([0, 1_000])
    nowMs += 999
    expect(budget.left()).toBe(0)
    nowMs += 1
    expect([budget.left(), budget.nextInMs()]).toEqual([1, 0])
    nowMs += 3_600_000
    expect(budget.left()).toBe(callsAtOnceMax)
  })

  it('that were made beyond it are missing afterwards', () => {
    let nowMs = 0
    const budget = createCallBudget(60, { elapsedMs: () => nowMs })
    budget.spend(callsAtOnceMax + 1)
    expect(budget.nextInMs()).toBe(2_000)
    nowMs += 2_000
    expect(budget.left()).toBe(1)
  })
})
