import { describe, expect, it } from 'vitest'
import {
  answered,
  card,
  chunk,
  enrolled,
  found,
  messaged,
  missed,
  piece,
  pushed,
  refused,
  sent,
  streamed,
  taskAfter,
  unanswered,
  type Line,
} from '../testing/history.ts'
import type { TaskAnalysis } from './analysis.ts'

/** The state, in brackets the last observed one, and by whom the task stands. */
const stateOf = ({ state, lastObserved, current }: TaskAnalysis): string =>
  `${state}${lastObserved === undefined ? '' : ` (${lastObserved})`}${current === undefined ? '' : ` ${current.workerId}/${current.taskId}`}`

const first: readonly Line[] = [sent({ at: 0 }), answered('working', { at: 1 })]
const second: readonly Line[] = [
  sent({ at: 20, worker: 'w2', sentMessageId: 'm-2' }),
  answered('submitted', { at: 21, worker: 'w2', task: 't-9', messageId: 'm-2' }),
]

describe('F14 logical state', () => {
  it.each<[string, readonly Line[], string]>([
    ['F14 (1) an attempt that completed completes the task', [...first, found('completed', { at: 5 })], 'completed w1/t-1'],
    ['F14 (1) before (2): an older completion wins over a newer attempt at work', [...first, ...second, pushed('completed', { at: 30 })], 'completed w2/t-9'],
    ['F14 (1) before (3): a completion wins over a newer failure', [...first, ...second, found('failed', { at: 25, worker: 'w2', task: 't-9' }), pushed('completed', { at: 30 })], 'completed w2/t-9'],
    ['F14 (1) late truth wins: the completion of an attempt presumed lost', [...first, missed({ at: 10 }), pushed('completed', { at: 40, stamped: 8 })], 'completed w1/t-1'],
    ['F14 (1) a message as the whole answer completes it', [sent({ at: 0 }), messaged('done')], 'completed'],
    ['F14 (2) the current attempt is live: its state', [...first, pushed('input-required', { at: 5 })], 'input-required w1/t-1'],
    ['F14 (2) the attempt of the latest dispatch is the current one', [...first, missed({ at: 10 }), ...second], 'submitted w2/t-9'],
    ['F14 (2) latest by when it was sent, not by when that was recorded', [...second, ...first], 'submitted w2/t-9'],
    ['F14 (2) an attempt that answers a later message is current again', [...first, ...second, sent({ at: 30, naming: 't-1', sentMessageId: 'm-3' }), answered('input-required', { at: 31, messageId: 'm-3' })], 'input-required w1/t-1'],
    ['F14 (2) an attempt opened for a message into an older one is the current one', [...first, sent({ at: 30, naming: 't-1', sentMessageId: 'm-3' }), answered('input-required', { at: 31, task: 't-2' })], 'input-required w1/t-2'],
    ['F14 (2) of two sends of one moment the one recorded later, whichever was answered first', [sent({ at: 0 }), sent({ at: 0, worker: 'w2', sentMessageId: 'm-2' }), answered('submitted', { at: 1, worker: 'w2', task: 't-9', messageId: 'm-2' }), answered('working', { at: 2, messageId: 'm-1' })], 'submitted w2/t-9'],
    ['F14 (2) the same where that one was answered last', [sent({ at: 0 }), sent({ at: 0, worker: 'w2', sentMessageId: 'm-2' }), answered('working', { at: 1, messageId: 'm-1' }), answered('submitted', { at: 2, worker: 'w2', task: 't-9', messageId: 'm-2' })], 'submitted w2/t-9'],
    ['F14 (2) an attempt nobody saw dispatched comes before one that was', [...first, found('input-required', { at: 30, task: 't-5' })], 'working w1/t-1'],
    ['F14 (2) of two that nobody saw dispatched the one seen first later counts', [found('working', { at: 8, task: 't-2' }), found('input-required', { at: 3 })], 'working w1/t-2'],
    ['F14 (3) the current attempt is terminal: its state', [...first, found('failed', { at: 5 })], 'failed w1/t-1'],
    ['F14 (3) before (4): a newer failure wins over an older attempt at work', [...first, ...second, found('rejected', { at: 25, worker: 'w2', task: 't-9' })], 'rejected w2/t-9'],
    ['F14 (4) the current one is lost and an older one lives: its state', [...first, ...second, missed({ at: 30, worker: 'w2', task: 't-9' })], 'working w2/t-9'],
    ['F14 (4) the newest of the older ones that live', [...first, sent({ at: 10, worker: 'w3', sentMessageId: 'm-3' }), answered('auth-required', { at: 11, worker: 'w3', task: 't-3', messageId: 'm-3' }), ...second, missed({ at: 30, worker: 'w2', task: 't-9' })], 'auth-required w2/t-9'],
    ['F14 (4) an older one that failed does not stand in for the lost one', [...first, found('failed', { at: 5 }), ...second, missed({ at: 30, worker: 'w2', task: 't-9' })], 'indeterminate (submitted) w2/t-9'],
    ['F14 (5) a pending dispatch and no attempt: dispatched', [sent()], 'dispatched'],
    ['F14 (5) a refused dispatch and no attempt: dispatched', [sent(), refused()], 'dispatched'],
    ['F14 (5) a pending one beside a refused one: dispatched', [sent({ sentMessageId: 'm-1' }), refused({ messageId: 'm-1' }), sent({ sentMessageId: 'm-2', worker: 'w2' })], 'dispatched'],
    ['F14 (6) a dispatch without an answer: indeterminate, nothing observed', [sent(), unanswered()], 'indeterminate'],
    ['F14 (6) one dispatch without an answer beside a refused one: indeterminate', [sent({ sentMessageId: 'm-1' }), unanswered({ messageId: 'm-1' }), sent({ sentMessageId: 'm-2', worker: 'w2' }), refused({ messageId: 'm-2', worker: 'w2' })], 'indeterminate'],
    ['F14 (6) the current attempt is lost: indeterminate with its last state', [...first, pushed('input-required', { at: 5 }), missed({ at: 10 })], 'indeterminate (input-required) w1/t-1'],
    ['F14 (6) every attempt is lost: the last state is that of the current one', [...first, missed({ at: 10 }), ...second, missed({ at: 30, worker: 'w2', task: 't-9' })], 'indeterminate (submitted) w2/t-9'],
    ['F14 (6) a lost attempt of which only a chunk was seen: no state was ever observed', [chunk('x', { at: 1 }), missed({ at: 10 })], 'indeterminate w1/t-1'],
    ['F14 a server task never seen positively is no attempt', [sent({ at: 0 }), missed({ at: 5 })], 'dispatched'],
    ['F14 not-founds alone are indeterminate', [missed({ at: 5 }), missed({ at: 9 })], 'indeterminate'],
    ['F14 a wire value nobody knows is observed and is not indeterminate', [sent({ at: 0 }), answered('unknown', { at: 1, stateOnWire: 'PONDERING', isStateUnknown: true })], 'unknown w1/t-1'],
  ])('%s', (_fact, lines, state) => {
    expect(stateOf(taskAfter(lines))).toBe(state)
  })
})

describe('F15 canonical attempt and outcomes', () => {
  const canonicalOf = ({ artifacts, divergences }: TaskAnalysis): string =>
    [artifacts[0] === undefined ? 'none' : `${artifacts[0].canonical.workerId}/${artifacts[0].canonical.taskId}`, ...divergences.map(({ kind }) => kind)].join(', ')
  const held = (text: string, name = 'text/plain') => ({ holding: [piece(text, { mediaTypes: [name] })] })
  const both = (one: readonly Line[], two: readonly Line[]): readonly Line[] => [...first, ...second, ...one, ...two]
  it.each<[string, readonly Line[], string]>([
    ['F15 of two completions the earlier one is canonical', both([found('completed', { at: 30, ...held('one') })], [found('completed', { at: 40, worker: 'w2', task: 't-9', ...held('two') })]), 'w1/t-1, outcome'],
    ['F15 earlier by when it completed, not by when that was recorded', both([pushed('completed', { at: 50, stamped: 45, form: 'snapshot', ...held('one') })], [pushed('completed', { at: 60, stamped: 40, worker: 'w2', task: 't-9', form: 'snapshot', ...held('two') })]), 'w2/t-9, outcome'],
    ['F15 of two of one moment the one recorded first', both([], [found('completed', { at: 40, worker: 'w2', task: 't-9', ...held('two') }), found('completed', { at: 40, ...held('one') })]), 'w2/t-9, outcome'],
    ['F15 earlier by its end, whatever it did before', both([pushed('input-required', { at: 22 }), pushed('working', { at: 23 }), found('completed', { at: 50, ...held('one') })], [found('completed', { at: 40, worker: 'w2', task: 't-9', ...held('two') })]), 'w2/t-9, outcome'],
    ['F15 a completion inside the contract comes before an earlier one outside it', [sent({ at: 0, acceptedModes: ['application/json'] }), answered('working', { at: 1 }), sent({ at: 20, worker: 'w2', sentMessageId: 'm-2', acceptedModes: ['application/json'] }), answered('working', { at: 21, worker: 'w2', task: 't-9', messageId: 'm-2' }), found('completed', { at: 30, ...held('one') }), found('completed', { at: 40, worker: 'w2', task: 't-9', ...held('two', 'application/json') })], 'w2/t-9, outcome, media-type'],
    ['F15 a completion beside a failure diverges', both([found('failed', { at: 30 })], [found('completed', { at: 40, worker: 'w2', task: 't-9', ...held('two') })]), 'w2/t-9, outcome'],
    ['F15 a completion beside a cancellation diverges', both([found('completed', { at: 30, ...held('one') })], [found('canceled', { at: 40, worker: 'w2', task: 't-9' })]), 'w1/t-1, outcome'],
    ['F15 two failures do not diverge', both([found('failed', { at: 30 })], [found('failed', { at: 40, worker: 'w2', task: 't-9' })]), 'none'],
    ['F15 an attempt sent after the earlier one had failed is an honest retry', [...first, found('failed', { at: 10 }), ...second, found('completed', { at: 40, worker: 'w2', task: 't-9', ...held('two') })], 'w2/t-9'],
    ['F15 an attempt sent at the very moment of the failure is one as well', [...first, found('failed', { at: 20 }), ...second, found('completed', { at: 40, worker: 'w2', task: 't-9', ...held('two') })], 'w2/t-9'],
    ['F15 a retry recorded before what it repeats is a retry all the same', [...second, found('completed', { at: 40, worker: 'w2', task: 't-9', ...held('two') }), ...first, found('failed', { at: 10 })], 'w2/t-9'],
    ['F15 an attempt sent after the earlier one had completed diverges', [...first, found('completed', { at: 10, ...held('one') }), ...second, found('completed', { at: 40, worker: 'w2', task: 't-9', ...held('two') })], 'w1/t-1, outcome'],
    ['F15 two server tasks of one worker are a task-id divergence', [...first, sent({ at: 20, sentMessageId: 'm-2' }), answered('working', { at: 21, task: 't-9', messageId: 'm-2' })], 'none, task-id'],
    ['F15 server tasks of two workers are normal', both([], []), 'none'],
  ])('%s', (_fact, lines, canonical) => {
    expect(canonicalOf(taskAfter(lines))).toBe(canonical)
  })
})

describe('F15 duplicate execution', () => {
  const work = (worker: string, task: string, at: number): Line => streamed('working', { worker, task, at })
  const again: readonly Line[] = [
    sent({ at: 20, worker: 'w2', sentMessageId: 'm-2' }),
    answered('working', { at: 21, worker: 'w2', task: 't-9', messageId: 'm-2' }),
  ]
  const pairsOf = ({ duplicateExecutions }: TaskAnalysis): string =>
    duplicateExecutions.map(([one, two]) => `${one.workerId}/${one.taskId} and ${two.workerId}/${two.taskId}`).join('; ') || 'none'
  const twice = 'w1/t-1 and w2/t-9'
  it.each<[string, readonly Line[], string]>([
    ['F15 both got to work and the first was alive at the second send', [...first, ...again], twice],
    ['F15 it does not matter in which order that was recorded', [...again, ...first], twice],
    ['F15 the first was known to be lost at the second send', [...first, missed({ at: 10 }), ...again], 'none'],
    ['F15 the first was known to have failed at the second send', [...first, found('failed', { at: 10 }), ...again], 'none'],
    ['F15 its end was stamped before and seen after the second send: nobody knew', [...first, ...again, pushed('failed', { at: 30, stamped: 10 })], twice],
    ['F15 it was lost, but that was seen only after the second send', [...first, ...again, missed({ at: 30 })], twice],
    ['F15 weak evidence does not say that it was lost', [...first, missed({ at: 10, evidence: 'weak' }), ...again], twice],
    ['F15 one not-found of a contested task does not say that it was lost', [...first, missed({ at: 5 }), found('working', { at: 7 }), missed({ at: 10 }), ...again], twice],
    ['F15 one not-found of two replicas does not say that it was lost', [enrolled({ replicas: 2 }), ...first, missed({ at: 10, instance: 'a' }), ...again], twice],
    ['F15 it was seen alive again before the second send', [...first, missed({ at: 10 }), found('working', { at: 15 }), ...again], twice],
    ['F15 it was presumed lost, and both ended after all', [...first, missed({ at: 10 }), ...again, found('completed', { at: 30, worker: 'w2', task: 't-9' }), pushed('completed', { at: 40, stamped: 35 })], twice],
    ['F15 it had completed before the second send, and both ended', [...first, found('completed', { at: 10 }), ...again, found('completed', { at: 30, worker: 'w2', task: 't-9' })], twice],
    ['F15 a retry after an honest failure executes nothing twice', [...first, found('failed', { at: 10 }), ...again, found('completed', { at: 30, worker: 'w2', task: 't-9' })], 'none'],
    ['F15 the first never got to work', [sent({ at: 0 }), answered('submitted', { at: 1 }), ...again], 'none'],
    ['F15 the first was rejected without work', [sent({ at: 0 }), answered('submitted', { at: 1 }), ...again, pushed('rejected', { at: 30 })], 'none'],
    ['F15 the second never got to work', [...first, sent({ at: 20, worker: 'w2', sentMessageId: 'm-2' }), answered('submitted', { at: 21, worker: 'w2', task: 't-9', messageId: 'm-2' })], 'none'],
    ['F15 an answer into the context of the first is no second execution', [sent({ at: 0 }), answered('input-required', { at: 1, contextId: 'c' }), sent({ at: 20, sentMessageId: 'm-2', contextId: 'c' }), answered('working', { at: 21, task: 't-9', contextId: 'c', messageId: 'm-2' })], 'none'],
    ['F15 the same message into another context is one', [sent({ at: 0 }), answered('working', { at: 1, contextId: 'c' }), sent({ at: 20, sentMessageId: 'm-2', contextId: 'd' }), answered('working', { at: 21, task: 't-9', contextId: 'd', messageId: 'm-2' })], 'w1/t-1 and w1/t-9'],
    ['F15 it was lost as was known, and only the second ended', [...first, missed({ at: 10 }), ...again, found('completed', { at: 30, worker: 'w2', task: 't-9' })], 'none'],
    ['F15 the first was canceled without work', [sent({ at: 0 }), answered('submitted', { at: 1 }), ...again, pushed('canceled', { at: 30 })], 'none'],
    ['F15 the first waited before it got to work', [sent({ at: 0 }), answered('submitted', { at: 1 }), pushed('working', { at: 2 }), ...again], twice],
    ['F15 the second waited before it got to work', [...first, sent({ at: 20, worker: 'w2', sentMessageId: 'm-2' }), answered('submitted', { at: 21, worker: 'w2', task: 't-9', messageId: 'm-2' }), work('w2', 't-9', 22)], twice],
    ['F15 an answer into a context that goes on afterwards is no second execution either', [sent({ at: 0 }), answered('input-required', { at: 1, contextId: 'c' }), sent({ at: 20, sentMessageId: 'm-2', contextId: 'c' }), answered('working', { at: 21, task: 't-9', contextId: 'c', messageId: 'm-2' }), pushed('working', { at: 40 })], 'none'],
    ['F15 an answer at the very moment of the question is one', [sent({ at: 0 }), answered('input-required', { at: 20, contextId: 'c', messageId: 'm-1' }), sent({ at: 20, sentMessageId: 'm-2', contextId: 'c' }), answered('working', { at: 21, task: 't-9', contextId: 'c', messageId: 'm-2' })], 'none'],
    ['F15 what was sent before the first said anything answers nothing', [sent({ at: 0 }), sent({ at: 20, sentMessageId: 'm-2', contextId: 'c' }), answered('working', { at: 21, task: 't-9', contextId: 'c', messageId: 'm-2' }), answered('working', { at: 30, contextId: 'c', messageId: 'm-1' })], 'w1/t-1 and w1/t-9'],
    ['F15 a message into the second attempt, which it names, answers nothing of the first', [found('input-required', { at: 1, contextId: 'c' }), found('working', { at: 5, task: 't-9' }), sent({ at: 20, naming: 't-9', contextId: 'c' }), answered('working', { at: 21, task: 't-9' })], 'w1/t-1 and w1/t-9'],
    ['F15 a send to another worker that has the same id answers nothing', [sent({ at: 0 }), answered('input-required', { at: 1, contextId: 'c' }), sent({ at: 10, worker: 'w2', sentMessageId: 'm-2', contextId: 'c' }), answered('submitted', { at: 11, worker: 'w2', task: 't-9', messageId: 'm-2' }), sent({ at: 20, sentMessageId: 'm-3', contextId: 'd' }), answered('working', { at: 21, task: 't-9', messageId: 'm-3' })], 'w1/t-1 and w1/t-9'],
    ['F15 of two that nobody saw dispatched the one seen first comes first', [work('w1', 't-1', 5), work('w2', 't-9', 6)], twice],
    ['F15 of two that were sent at one moment as well', [sent({ at: 0 }), sent({ at: 0, worker: 'w2', sentMessageId: 'm-2' }), answered('working', { at: 1, messageId: 'm-1' }), answered('working', { at: 2, worker: 'w2', task: 't-9', messageId: 'm-2' })], twice],
    ['F15 an attempt nobody saw dispatched, seen before or after', [work('w1', 't-1', 5), ...again], twice],
    ['F15 an attempt nobody saw dispatched came before one that was', [...again, work('w1', 't-1', 40)], twice],
  ])('%s', (_fact, lines, pairs) => {
    expect(pairsOf(taskAfter(lines))).toBe(pairs)
  })
})

describe('F16 trust by card', () => {
  const trusted: readonly Line[] = [card({ at: -10 }), enrolled({ trust: 'card' }, { at: -5 }), sent({ at: 0 }), answered('working', { at: 1 })]
  const summary = (task: TaskAnalysis): string => `${stateOf(task)}, terminal ${task.terminal}`
  it.each<[string, readonly Line[], number, string]>([
    ['F16 a lost open task of a worker trusted by its card is closed', [...trusted, missed({ at: 10 })], 100, 'indeterminate (working) w1/t-1, terminal true'],
    ['F16 with trust verify it stays open', [...first, missed({ at: 10 })], 100, 'indeterminate (working) w1/t-1, terminal false'],
    ['F16 weak evidence closes nothing', [...trusted, missed({ at: 10, evidence: 'weak' })], 100, 'working w1/t-1, terminal false'],
    ['F16 while grace runs nothing is closed yet', [...trusted, missed({ at: 10 })], 39.999, 'indeterminate (working) w1/t-1, terminal false'],
    ['F16 late truth opens the closed task again', [...trusted, missed({ at: 10 }), pushed('completed', { at: 50, stamped: 9 })], 100, 'completed w1/t-1, terminal true'],
    ['F16 life returns to the closed task', [...trusted, missed({ at: 10 }), found('working', { at: 50 })], 100, 'working w1/t-1, terminal false'],
    ['F16 trust of another worker closes nothing', [enrolled({ trust: 'card' }, { worker: 'w2' }), ...first, missed({ at: 10 })], 100, 'indeterminate (working) w1/t-1, terminal false'],
    ['F16 a dispatch without an answer is not closed', [card({ at: -10 }), enrolled({ trust: 'card' }, { at: -5 }), sent({ at: 0 }), unanswered({ at: 1 })], 100, 'indeterminate, terminal false'],
  ])('%s', (_fact, lines, asOf, expected) => {
    expect(summary(taskAfter(lines, { asOf }))).toBe(expected)
  })
})
