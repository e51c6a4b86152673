import { describe, expect, it } from 'vitest'
import { chunk, found, missed, taskAfter, type Line } from '../testing/history.ts'
import { taskView } from './view.ts'

const viewOf = (lines: readonly Line[]) => taskView(taskAfter(lines), new Map())
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

describe('lists of a view hold at most 100 entries and say how many there are', () => {
  const crowd = numbers(130).flatMap((n): Line[] => [found('working', { at: n, task: `t-${n}` }), chunk('x', { at: n + 0.5, task: `t-${n}`, artifact: { artifactId: 'a' } })])
  const view = viewOf(crowd)

  it('attempts: the newest, and their full number', () => {
    expect([view.attempts.length, view.attempts.at(-1)?.taskId, view.counts?.['attempts']]).toEqual([100, 't-129', 130])
  })

  it('the versions of one artifact are counted beside it', () => {
    const [artifact] = view.artifacts
    expect([artifact?.variants.length, artifact?.counts]).toEqual([100, { variants: 129 }])
  })

  it('the positions of a divergence are counted beside it', () => {
    const [divergence] = view.divergences
    expect([divergence?.kind, divergence?.positions.length, divergence?.counts]).toEqual(['task-id', 100, { positions: 130 }])
  })

  it('the positions that leave an attempt in doubt are counted beside them', () => {
    const { attempts } = viewOf([found('working'), ...numbers(120).map((n) => missed({ at: 10 + n, evidence: 'weak' }))])
    expect([attempts[0]?.doubt?.because, attempts[0]?.doubt?.positions.length, attempts[0]?.doubt?.counts]).toEqual(['weak-evidence', 100, { positions: 120 }])
  })

  it('the evidence of a derived verdict is counted as well', () => {
    const { verdict } = viewOf([found('working'), ...numbers(120).map((n) => missed({ at: 10 + n, evidence: 'weak' }))])
    expect([verdict?.kind, verdict?.because.length, verdict?.counts]).toEqual(['reobserve', 20, { because: 120 }])
  })

  it('the media types of one version are counted beside them', () => {
    const mediaTypes = numbers(120).map((n) => `application/x-${n}`)
    const [artifact] = viewOf([found('working'), chunk('x', { at: 5, artifact: { mediaTypes } })]).artifacts
    expect([artifact?.canonical.mediaTypes.length, artifact?.canonical.counts]).toEqual([100, { mediaTypes: 120 }])
  })

  it('where nothing is cut nothing is counted', () => {
    expect(JSON.stringify(viewOf([found('working'), chunk('x', { at: 5 })]))).not.toContain('"counts"')
  })
})

describe('the doubt of an attempt', () => {
  it('is absent while nothing is newer than its last life', () => {
    expect(viewOf([found('working')]).attempts[0]).not.toHaveProperty('doubt')
  })

  it('is gone once life returns', () => {
    expect(viewOf([found('working'), missed({ at: 5, evidence: 'weak' }), found('working', { at: 9 })]).attempts[0]).not.toHaveProperty('doubt')
  })
})
