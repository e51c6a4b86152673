import { describe, expect, it } from 'vitest'
import { answered, chunk, found, missed, ms, pushed, restarted, sent, streamed, taskAfter, type Line } from '../testing/history.ts'
import type { TaskAnalysis } from './analysis.ts'
import { taskView } from './view.ts'

/** The state of the attempt and what broke a rule on the way. */
const stateOf = ({ attempts: [attempt], violations }: TaskAnalysis): string =>
  [attempt?.state ?? 'no attempt', ...violations.map(({ code }) => code)].join(', ')

const working: readonly Line[] = [sent({ at: 0 }), answered('working', { at: 1, stamped: 1 })]

describe('F3 times', () => {
  it.each<[string, readonly Line[], string]>([
    ['F3 the stamp of the worker orders, not the arrival', [...working, pushed('input-required', { at: 5, stamped: 4 }), pushed('working', { at: 6, stamped: 3 })], 'input-required'],
    ['F3 without a stamp the witness time orders', [...working, pushed('input-required', { at: 5 }), pushed('working', { at: 4 })], 'input-required'],
    ['F3 a stamp ahead of its witness counts from when it was seen', [...working, pushed('input-required', { at: 3, stamped: 90 }), found('working', { at: 8, stamped: 8 })], 'working'],
    ['F3 a stamp from before the dispatch counts from the dispatch', [sent({ at: 10 }), answered('input-required', { at: 11, stamped: -3_600 }), pushed('working', { at: 12, stamped: 10.5 })], 'working'],
    ['F3 two stamps from before the dispatch are told apart by position', [sent({ at: 10 }), answered('submitted', { at: 11, stamped: -20 }), pushed('input-required', { at: 13, stamped: -5 }), pushed('working', { at: 12, stamped: -9 })], 'working'],
    ['F3 a message into a task does not create it and holds no stamp back', [...working, sent({ at: 20, naming: 't-1', sentMessageId: 'm-2' }), answered('working', { at: 21, stamped: 20.5, messageId: 'm-2' }), pushed('input-required', { at: 30, stamped: 19 })], 'working'],
    ['F3 within one stream the sequence orders before time', [...working, streamed('input-required', { at: 5, stamped: 5, streamId: 's', sequence: '2' }), streamed('working', { at: 6, stamped: 6, streamId: 's', sequence: '1' })], 'input-required'],
    ['F3 a sequence is a number where it looks like one', [...working, streamed('input-required', { at: 5, streamId: 's', sequence: '10' }), streamed('working', { at: 6, streamId: 's', sequence: '9' })], 'input-required'],
    ['F3 sequences of two streams are not compared', [...working, streamed('input-required', { at: 5, streamId: 's', sequence: '2' }), streamed('working', { at: 6, streamId: 'r', sequence: '1' })], 'working'],
    ['F3 sequences of two witnesses are not compared', [...working, streamed('input-required', { at: 5, streamId: 's', sequence: '2' }), streamed('working', { at: 6, streamId: 's', sequence: '1', by: 'gateway' })], 'working'],
    ['F3 generations order before time where every update has one', [sent({ at: 0 }), answered('working', { at: 1, generation: 1 }), pushed('input-required', { at: 5, stamped: 5, generation: 3 }), pushed('working', { at: 6, stamped: 6, generation: 2 })], 'input-required'],
    ['F3 generations order before the sequence of a stream', [streamed('working', { at: 1, streamId: 's', sequence: '2', generation: 1 }), streamed('input-required', { at: 2, streamId: 's', sequence: '1', generation: 2 })], 'input-required'],
    ['F3 one update without a generation and time orders all', [sent({ at: 0 }), answered('working', { at: 1 }), pushed('input-required', { at: 5, stamped: 5, generation: 3 }), pushed('working', { at: 6, stamped: 6, generation: 2 })], 'working'],
    ['F3 chunks between two generations do not disturb their order', [pushed('working', { at: 9, generation: 1 }), chunk('x', { at: 5 }), chunk('y', { at: 6, append: true }), pushed('input-required', { at: 1, generation: 2 }), chunk('z', { at: 7, append: true })], 'input-required'],
  ])('%s', (_fact, lines, state) => {
    expect(stateOf(taskAfter(lines))).toBe(state)
  })

  it('F3 where times are equal the position decides', () => {
    const lines = [sent({ at: 0 }), answered('working', { at: 1 }), pushed('input-required', { at: 5 }), pushed('auth-required', { at: 5 })]
    expect(stateOf(taskAfter(lines))).toBe('auth-required')
  })
})

describe('F4 rank', () => {
  it.each<[string, readonly Line[], string]>([
    ['F4 the state of the highest effective time counts', [...working, pushed('input-required', { at: 5, stamped: 5 }), pushed('working', { at: 6, stamped: 6 })], 'working'],
    ['F4 equal ranks go either way', [...working, pushed('auth-required', { at: 5 }), pushed('input-required', { at: 6 }), pushed('working', { at: 7 })], 'working'],
    ['F4 submitted later than working is a regression and changes nothing', [...working, pushed('submitted', { at: 6, stamped: 6 })], 'working, state_regressed'],
    ['F4 a late arrival of an older submitted is no regression', [...working, pushed('submitted', { at: 6, stamped: 0.5 })], 'working'],
    ['F4 submitted of the very time of working is no regression', [...working, pushed('submitted', { at: 6, stamped: 1 })], 'working'],
    ['F4 submitted and unknown have one rank', [sent({ at: 0 }), answered('submitted', { at: 1 }), pushed('unknown', { at: 2 })], 'unknown'],
    ['F4 unspecified after working is a regression', [...working, pushed('unknown', { at: 6, stateOnWire: 'TASK_STATE_UNSPECIFIED' })], 'working, state_regressed'],
    ['F4 a wire value that no version knows is no regression and changes nothing', [...working, pushed('unknown', { at: 6, stateOnWire: 'TASK_STATE_PONDERING', isStateUnknown: true })], 'working, state_unknown'],
    ['F4 a wire value that no version knows does not leave a terminal state', [...working, found('completed', { at: 3 }), pushed('unknown', { at: 6, stateOnWire: 'PONDERING', isStateUnknown: true })], 'completed, state_unknown'],
    ['F4 as a first sight it is the non-terminal state unknown', [sent({ at: 0 }), answered('unknown', { at: 1, stateOnWire: 'PONDERING', isStateUnknown: true })], 'unknown, state_unknown'],
    ['F4 a terminal state overrides whatever was later', [...working, pushed('input-required', { at: 6, stamped: 6 }), pushed('completed', { at: 7, stamped: 5 })], 'completed, terminal_left'],
  ])('%s', (_fact, lines, state) => {
    expect(stateOf(taskAfter(lines))).toBe(state)
  })
})

describe('F5 terminal is final', () => {
  it.each<[string, readonly Line[], string]>([
    ['F5 working after completed is another state after a terminal one', [...working, pushed('completed', { at: 4 }), found('working', { at: 6 })], 'completed, terminal_left'],
    ['F5 the first terminal state stands against a later one', [...working, pushed('failed', { at: 4 }), pushed('completed', { at: 6 })], 'failed, terminal_left'],
    ['F5 first is by the order of what happened, not by arrival', [...working, pushed('failed', { at: 4, stamped: 4 }), pushed('completed', { at: 6, stamped: 3 })], 'completed, terminal_left'],
    ['F5 the same terminal state again is nothing', [...working, pushed('completed', { at: 4 }), found('completed', { at: 6 })], 'completed'],
    ['F5 a late working from before the end is nothing', [...working, pushed('completed', { at: 4, stamped: 4 }), pushed('working', { at: 6, stamped: 2 })], 'completed'],
    ['F5 canceled stands against the completion that raced it', [...working, pushed('canceled', { at: 4 }), pushed('completed', { at: 5 })], 'canceled, terminal_left'],
    ['F5 working of the very time of the end did not leave it', [...working, pushed('completed', { at: 4, stamped: 4 }), pushed('working', { at: 6, stamped: 4 })], 'completed'],
    ['F5 of two ends of one time the first recorded stands', [...working, pushed('failed', { at: 4, stamped: 4 }), pushed('completed', { at: 6, stamped: 4 })], 'failed, terminal_left'],
    ['F5 the same state after the end, polled again, is told once', [...working, pushed('completed', { at: 4 }), ...[6, 7, 8].map((at) => found('working', { at }))], 'completed, terminal_left'],
    ['F5 leaving the end a second time is told again', [...working, pushed('canceled', { at: 4 }), found('working', { at: 6 }), found('canceled', { at: 7 }), found('working', { at: 8 })], 'canceled, terminal_left, terminal_left'],
    ['F5 rejected is terminal', [sent({ at: 0 }), answered('rejected', { at: 1 }), pushed('working', { at: 2 })], 'rejected, terminal_left'],
  ])('%s', (_fact, lines, state) => {
    expect(stateOf(taskAfter(lines))).toBe(state)
  })

  it.each<[string, readonly Line[]]>([
    ['F5 a strong not-found after the end leaves it ended', [missed({ at: 9 })]],
    ['F5 a hundred of them leave it ended', Array.from({ length: 100 }, (_, index) => missed({ at: 9 + index * 5 }))],
    ['F5 another state after the end leaves it ended', [found('working', { at: 9 }), missed({ at: 12 })]],
  ])('%s', (_fact, lines) => {
    const task = taskAfter([...working, pushed('completed', { at: 4 }), ...lines])
    expect([task.attempts[0]?.life, task.state, task.question]).toEqual(['ended', 'completed', undefined])
  })
})

describe('F8 an end claimed by an error', () => {
  const claim = { name: 'TaskNotCancelable', code: -32002, evidence: 'none', operation: 'CancelTask', text: 'Task cannot be canceled' } as const
  const said = { name: 'InvalidRequest', code: -32600, evidence: 'none', operation: 'SendMessage', saysTerminal: true, text: 'task is in terminal state' } as const
  const summary = (task: TaskAnalysis): string =>
    [stateOf(task), task.attempts[0]?.life, taskView(task, new Map()).verdict?.kind ?? 'no verdict'].join(', ')
  it.each<[string, readonly Line[], string]>([
    ['F8 weak evidence: the state stays, the verdict says reobserve', [...working, missed({ at: 5, evidence: 'weak' })], 'working, live, reobserve'],
    ['F8 the reobserve is gone once life returns', [...working, missed({ at: 5, evidence: 'weak' }), found('working', { at: 6 })], 'working, live, no verdict'],
    ['F8 TaskNotCancelable on an open task claims an end without naming it', [...working, missed({ at: 5, ...claim })], 'working, terminal_claimed, live, reobserve'],
    ['F8 an error that says terminal state on an open task claims an end', [...working, missed({ at: 5, ...said })], 'working, terminal_claimed, live, reobserve'],
    ['F8 TaskNotCancelable on an ended task claims nothing', [...working, found('completed', { at: 3 }), missed({ at: 5, ...claim })], 'completed, ended, no verdict'],
    ['F8 the end named later takes the claim back', [...working, missed({ at: 5, ...claim }), found('canceled', { at: 6 })], 'canceled, ended, no verdict'],
    ['F8 life after the claim takes the doubt back, the claim stays shown', [...working, missed({ at: 5, ...claim }), found('working', { at: 6 })], 'working, terminal_claimed, live, no verdict'],
  ])('%s', (_fact, lines, expected) => {
    expect(summary(taskAfter(lines))).toBe(expected)
  })
})

describe('F1 everything that is concluded of one attempt', () => {
  it('F1 states with who said them, life, not-founds, context and dispatch', () => {
    const lines = [
      sent({ at: 0, contextId: 'c-1' }),
      answered('submitted', { at: 1, contextId: 'c-1', instance: 'i-1' }),
      pushed('working', { at: 3, stamped: 2, text: 'busy', hasMessage: true }),
      missed({ at: 9, evidence: 'weak', operation: 'SubscribeToTask' }),
      restarted({ at: 10 }),
      missed({ at: 11, instance: 'i-1' }),
    ]
    expect(taskAfter(lines).attempts).toEqual([
      {
        workerId: 'w1',
        taskId: 't-1',
        contextId: 'c-1',
        state: 'working',
        statePosition: 3,
        life: 'lost',
        contested: false,
        contradictions: 0,
        metadata: [],
        conforms: true,
        firstSeenPosition: 2,
        firstSeenMs: ms(1),
        lastSeenPosition: 3,
        changes: [
          { position: 2, atMs: ms(1), effectiveMs: ms(1), state: 'submitted', source: 'orchestrator', hasMessage: false },
          { position: 3, atMs: ms(3), effectiveMs: ms(2), state: 'working', source: 'webhook', hasMessage: true, text: 'busy' },
        ],
        lastLife: { position: 3, atMs: ms(2) },
        notFounds: [
          { position: 4, atMs: ms(9), evidence: 'weak', isForeign: false, isRoute: false, codeSpace: 'jsonrpc', code: -32001, operation: 'SubscribeToTask' },
          { position: 6, atMs: ms(11), evidence: 'strong', isForeign: false, isRoute: false, codeSpace: 'jsonrpc', code: -32001, operation: 'GetTask', instance: 'i-1' },
        ],
        firstNotFound: expect.objectContaining({ position: 4 }),
        firstStrongNotFound: expect.objectContaining({ position: 6 }),
        restartPosition: 5,
        dispatchPosition: 1,
        dispatchMs: ms(0),
        createdMs: ms(0),
      },
    ])
  })

  it('F1 no member for what is not known', () => {
    expect(taskAfter([found('working', { at: 1 })]).attempts).toEqual([
      {
        workerId: 'w1',
        taskId: 't-1',
        state: 'working',
        statePosition: 1,
        life: 'live',
        contested: false,
        contradictions: 0,
        metadata: [],
        conforms: true,
        firstSeenPosition: 1,
        firstSeenMs: ms(1),
        lastSeenPosition: 1,
        changes: [{ position: 1, atMs: ms(1), effectiveMs: ms(1), state: 'working', source: 'orchestrator', hasMessage: false }],
        lastLife: { position: 1, atMs: ms(1) },
        notFounds: [],
      },
    ])
  })

  it('F1 what breaks the order names its worker and task, and says from what to what', () => {
    const lines = [answered('working', { at: 1, contextId: 'c-1' }), found('submitted', { at: 2, contextId: 'c-2' }), found('completed', { at: 3 }), found('failed', { at: 4 })]
    expect(taskAfter(lines).violations).toEqual([
      { code: 'context_changed', position: 2, detail: 'The context was "c-1" and is "c-2" here.', workerId: 'w1', taskId: 't-1' },
      { code: 'state_regressed', position: 2, detail: 'submitted was reported after working.', workerId: 'w1', taskId: 't-1' },
      { code: 'terminal_left', position: 4, detail: 'failed was reported after completed.', workerId: 'w1', taskId: 't-1' },
    ])
  })
})
