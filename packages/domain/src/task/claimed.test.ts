import { describe, expect, it } from 'vitest'
import type { TimelineReading } from '../a2a/reading.ts'
import type { ReportFact } from '../fact/fact.ts'
import { answered, found, missed, pushed, sent, streamed, taskAfter, type Line } from '../testing/history.ts'
import type { TaskState } from './state.ts'
import { taskView } from './view.ts'

const whole = (...states: readonly TaskState[]): { readonly timeline: TimelineReading } => ({ timeline: { states, isWhole: true } })
const cut = (...states: readonly TaskState[]): { readonly timeline: TimelineReading } => ({ timeline: { states } })
const start: readonly Line[] = [sent({ at: 0 }), answered('working', { at: 1, stamped: 1 })]
const stateless: Line = (position) => {
  const { state: _none, ...fact } = found('working', { at: 1, stamped: 1 })(position) as ReportFact
  return fact
}
const attemptOf = (lines: readonly Line[]) => taskAfter(lines).attempts[0]
const viewed = (lines: readonly Line[]) => taskView(taskAfter(lines), new Map()).attempts[0]

describe('F3 what a worker claims of the past of its task', () => {
  it.each<[string, readonly Line[], object | undefined]>([
    ['F3 without a timeline there is no claim', start, undefined],
    ['F3 the newest timeline is shown, with where it stands', [...start, found('working', { at: 2, stamped: 1, ...cut('submitted') }), found('working', { at: 3, stamped: 1, ...cut('submitted', 'working') }), found('working', { at: 4, stamped: 1 })], { position: 4, states: ['submitted', 'working'], isWhole: false }],
    ['F3 a whole one that has what was seen lacks nothing', [...start, found('completed', { at: 5, stamped: 4, ...whole('working', 'completed') })], { position: 3, states: ['working', 'completed'], isWhole: true }],
    ['F3 generations that do not ascend are told', [...start, found('working', { at: 2, timeline: { states: ['working'], isUnordered: true } })], { position: 3, states: ['working'], isWhole: false, isUnordered: true }],
    ['F3 a whole one lacks what was stamped before it', [...start, pushed('input-required', { at: 3, stamped: 3 }), pushed('working', { at: 4, stamped: 4 }), found('completed', { at: 6, stamped: 5, ...whole('working', 'completed') })], { position: 5, states: ['working', 'completed'], isWhole: true, lacks: ['input-required'] }],
    ['F3 at the very moment of its stamp too', [...start, pushed('input-required', { at: 3, stamped: 3 }), found('completed', { at: 6, stamped: 3, ...whole('working', 'completed') })], { position: 4, states: ['working', 'completed'], isWhole: true, lacks: ['input-required'] }],
    ['F3 and what the snapshot itself reports, without any stamp', [found('input-required', { at: 1, ...whole('working') })], { position: 1, states: ['working'], isWhole: true, lacks: ['input-required'] }],
    ['F3 each lacking state once, in the order of first sight', [...start, pushed('auth-required', { at: 2, stamped: 2 }), pushed('input-required', { at: 3, stamped: 3 }), pushed('auth-required', { at: 4, stamped: 4 }), found('completed', { at: 6, stamped: 5, ...whole('working', 'completed') })], { position: 6, states: ['working', 'completed'], isWhole: true, lacks: ['auth-required', 'input-required'] }],
    ['F3 one that was cut at its beginning lacks nothing', [...start, pushed('input-required', { at: 3, stamped: 3 }), found('completed', { at: 6, stamped: 5, ...cut('completed') })], { position: 4, states: ['completed'], isWhole: false }],
    ['F3 what happened after the claim is not lacking', [...start, found('working', { at: 3, stamped: 1, ...whole('working') }), pushed('input-required', { at: 4, stamped: 4 })], { position: 3, states: ['working'], isWhole: true }],
    ['F3 what nobody stamped is not lacking', [...start, pushed('input-required', { at: 3 }), found('completed', { at: 6, stamped: 5, ...whole('working', 'completed') })], { position: 4, states: ['working', 'completed'], isWhole: true }],
    ['F3 before a claim that nobody stamped nothing is lacking', [...start, pushed('input-required', { at: 3, stamped: 3 }), found('completed', { at: 6, ...whole('working', 'completed') })], { position: 4, states: ['working', 'completed'], isWhole: true }],
    ['F3 generations tell before stamps what the claim covers', [found('input-required', { at: 1, stamped: 9, generation: 2 }), pushed('auth-required', { at: 2, stamped: 1, generation: 4 }), found('working', { at: 10, stamped: 3, generation: 3, ...whole('working') })], { position: 3, states: ['working'], isWhole: true, lacks: ['input-required'] }],
    ['F3 an update of the same generation is covered', [pushed('input-required', { at: 1, generation: 2 }), found('working', { at: 3, generation: 2, ...whole('working') })], { position: 2, states: ['working'], isWhole: true, lacks: ['input-required'] }],
    ['F3 where only one has a generation the stamps tell', [pushed('input-required', { at: 1, stamped: 1 }), found('working', { at: 3, stamped: 3, generation: 2, ...whole('working') })], { position: 2, states: ['working'], isWhole: true, lacks: ['input-required'] }],
    ['F3 where only the report has one the stamps tell too', [pushed('input-required', { at: 1, stamped: 1, generation: 7 }), found('working', { at: 3, stamped: 3, ...whole('working') })], { position: 2, states: ['working'], isWhole: true, lacks: ['input-required'] }],
    ['F3 a report that states none is not lacking', [stateless, found('working', { at: 3, stamped: 3, ...whole('working') })], { position: 2, states: ['working'], isWhole: true }],
    ['F3 an unknown state is not lacking', [pushed('unknown', { at: 1, stamped: 1 }), found('working', { at: 3, stamped: 3, ...whole('working') })], { position: 2, states: ['working'], isWhole: true }],
  ])('%s', (_fact, lines, claimed) => {
    expect(viewed(lines)?.claimed).toStrictEqual(claimed)
  })

  it('F3 a claim changes neither the state nor the life of the attempt', () => {
    const claim = whole('working', 'completed')
    const plain = attemptOf([...start, found('working', { at: 2, stamped: 1 }), missed({ at: 9 })])
    const { claimed, ...rest } = { claimed: undefined, ...attemptOf([...start, found('working', { at: 2, stamped: 1, ...claim }), missed({ at: 9 })]) }
    expect(claimed).toEqual({ position: 3, states: ['working', 'completed'], isWhole: true, isUnordered: false, lacks: [] })
    expect(rest).toEqual(plain)
  })
})

describe('F4, F5 claims that no task can go through', () => {
  const violationsOf = (lines: readonly Line[]) => taskAfter(lines).violations.map(({ code, position, detail }) => `${code} ${position} ${detail}`)

  it.each<[string, readonly Line[], readonly string[]]>([
    ['F4 a timeline that goes on', [found('input-required', { at: 2, ...cut('submitted', 'working', 'input-required', 'auth-required', 'working') })], []],
    ['F5 a state after a terminal one', [found('working', { at: 2, ...cut('working', 'completed', 'working') })], ["terminal_left 1 The worker's own timeline has working after completed."]],
    ['F5 another end after the first', [found('failed', { at: 2, ...cut('completed', 'failed') })], ["terminal_left 1 The worker's own timeline has failed after completed."]],
    ['F4 a lower rank after a higher one', [found('working', { at: 2, ...cut('working', 'submitted', 'working') })], ["state_regressed 1 The worker's own timeline has submitted after working."]],
    ['F4 told where it begins, and not again', [2, 3, 4].map((at) => found('working', { at, ...cut('working', 'submitted', ...(at === 4 ? ['working' as const] : [])) })), ["state_regressed 1 The worker's own timeline has submitted after working."]],
    ['F5 another break is told as well', [found('working', { at: 2, ...cut('working', 'submitted') }), found('working', { at: 3, ...cut('failed', 'working') })], ["state_regressed 1 The worker's own timeline has submitted after working.", "terminal_left 2 The worker's own timeline has working after failed."]],
    ['F5 what was seen at the same place is told rather', [found('completed', { at: 1 }), found('failed', { at: 2, ...cut('completed', 'failed') })], ['terminal_left 2 failed was reported after completed.']],
    ['F4 an update tells no past', [streamed('working', { at: 1 })], []],
  ])('%s', (_fact, lines, violations) => {
    expect(violationsOf(lines)).toEqual(violations)
  })

  it('F5 says whose timeline it is', () => {
    expect(taskAfter([found('working', { at: 2, ...cut('completed', 'working') })]).violations).toMatchObject([{ workerId: 'w1', taskId: 't-1' }])
  })
})
