import { describe, expect, it } from 'vitest'
import { nextPushLossMs } from '../task/pushes.ts'
import { compactFacts } from '../fact/compact.ts'
import { answered, chunk, enrolled, found, inputOf, ms, pushed, sent, taskAfter, type Line } from '../testing/history.ts'
import { workerEvidenceOf } from './evidence.ts'
import { medianOf, pushCountsOf, sumOfPushes } from './push-delivery.ts'
import { deriveWorker, type WorkerView } from './worker.ts'

const begun: readonly Line[] = [sent({ at: 0 }), answered('submitted', { at: 1 })]

const pushAfter = (tasks: readonly (readonly Line[])[], repeatedPushes?: number): WorkerView['push'] =>
  deriveWorker({
    workerId: 'w1',
    facts: inputOf(tasks.flat()).workers.get('w1')?.facts ?? [],
    evidence: tasks.flatMap((lines) => workerEvidenceOf(taskAfter(lines))).filter(({ workerId }) => workerId === 'w1'),
    ...(repeatedPushes !== undefined && { repeatedPushes }),
    asOfMs: ms(3_600),
  }).push

describe('how the pushes of a worker arrive', () => {
  it.each<[string, readonly Line[], WorkerView['push']]>([
    ['nothing is said of a worker that pushes nothing', [...begun, found('working', { at: 2 })], undefined],
    ['a push is delivered', [...begun, pushed('working', { at: 2 })], { delivered: 1, reordered: 0, lost: 0 }],
    ['what an artifact says is delivered as well', [...begun, chunk('x', { at: 2, operation: 'Push' })], { delivered: 1, reordered: 0, lost: 0 }],
    ['a push of another worker is not one of this', [...begun, pushed('working', { at: 2, worker: 'w2' })], undefined],
    ['a push that is older than the one before is reordered', [...begun, pushed('completed', { at: 3, stamped: 2 }), pushed('working', { at: 4, stamped: 1 })], { delivered: 2, reordered: 1, lost: 0, delayMs: { p50: 1_000, max: 3_000 } }],
    ['a state that no push brought is lost', [...begun, pushed('working', { at: 2 }), found('completed', { at: 100 })], { delivered: 1, reordered: 0, lost: 1 }],
    ['delay is from the stamp of a state to the first push that tells of it', [...begun, pushed('working', { at: 5, stamped: 2 }), pushed('working', { at: 9, stamped: 2, text: 'again' }), pushed('completed', { at: 12, stamped: 11 })], { delivered: 3, reordered: 0, lost: 0, delayMs: { p50: 1_000, max: 3_000 } }],
    ['a clock that is ahead makes no delay below zero', [...begun, pushed('working', { at: 5, stamped: 7 })], { delivered: 1, reordered: 0, lost: 0, delayMs: { p50: 0, max: 0 } }],
    ['a push whose task nobody else saw is counted', [pushed('working', { at: 5 })], { delivered: 1, reordered: 0, lost: 0 }],
    ['a token that is enrolled is said beside it', [enrolled({ hasPushToken: true }, { at: -5 }), ...begun, pushed('working', { at: 2 })], { isTokenSet: true, delivered: 1, reordered: 0, lost: 0 }],
    ['that its pushes go by way of the proxy is said, as its newest enrolment has it', [enrolled({ isPushTeed: false }, { at: -5 }), enrolled({ isPushTeed: true }, { at: -4 }), enrolled({}, { at: -3 }), ...begun], { isTeed: true }],
    ['a token alone makes no counts', [enrolled({ hasPushToken: true }, { at: -5 }), ...begun], { isTokenSet: true }],
  ])('%s', (_title, lines, expected) => {
    expect(pushAfter([lines])).toEqual(expected)
  })

  it('all tasks of a worker are counted together, and the middle delay is over all of them', () => {
    const task = (id: string, delays: readonly number[]): readonly Line[] => [
      sent({ at: 0 }),
      answered('submitted', { at: 1, task: id }),
      ...delays.map((delay, n): Line => pushed('working', { at: 10 * n + 10 + delay, stamped: 10 * n + 10, task: id })),
    ]
    expect(pushAfter([task('t-1', [1, 5]), task('t-2', [2, 3])])).toEqual({ delivered: 4, reordered: 0, lost: 0, delayMs: { p50: 2_000, max: 5_000 } })
  })

  it('tasks without number are counted in one pass over them', () => {
    const all = Array.from({ length: 200_000 }, (_, n) => ({ delivered: 2, reordered: 1, lost: 0, delaysMs: [n], delayMsMax: n }))
    const { delaysMs, ...counts } = sumOfPushes(all)
    expect(counts).toEqual({ delivered: 400_000, reordered: 200_000, lost: 0, delayMsMax: 199_999 })
    expect(medianOf(delaysMs)).toBe(99_999)
  })

  it('repeats are said where somebody counted them, and only beside pushes', () => {
    expect(pushAfter([[...begun, pushed('working', { at: 2 })]], 3)).toEqual({ delivered: 1, repeated: 3, reordered: 0, lost: 0 })
    expect(pushAfter([begun], 3)).toBeUndefined()
  })

  it('of many delays in one task the newest are kept, and the longest of all', () => {
    const lines = Array.from({ length: 80 }, (_, n): Line => pushed('working', { at: 10 * n + (n === 0 ? 9 : 1), stamped: 10 * n }))
    const counts = pushCountsOf(taskAfter([...begun, ...lines]), 'w1')?.counts
    expect([counts?.delivered, counts?.delaysMs.length, counts?.delayMsMax]).toEqual([80, 50, 9_000])
  })

  it('the inside of a run that was left out is still delivered', () => {
    const analysis = taskAfter([...begun, ...Array.from({ length: 10 }, (_, n): Line => pushed('working', { at: n + 2 }))])
    const facts = compactFacts(analysis.facts)
    expect(facts.length).toBeLessThan(analysis.facts.length)
    expect(pushCountsOf({ ...analysis, facts }, 'w1')?.counts.delivered).toBe(10)
  })
})

describe('when the next push counts as lost', () => {
  const lines = [...begun, pushed('working', { at: 2 }), found('completed', { at: 100 })]
  it.each<[string, readonly Line[], number, number | undefined]>([
    ['grace after the state that no push brought', lines, 110, ms(130)],
    ['never again, once it does', lines, 130, undefined],
    ['never, where the push came', [...lines, pushed('completed', { at: 105 })], 110, undefined],
    ['never, where nothing is pushed', [...begun, found('completed', { at: 100 })], 110, undefined],
  ])('%s', (_title, told, asOf, expected) => {
    expect(nextPushLossMs(taskAfter(told, { asOf }))).toBe(expected)
  })
})
