import { describe, expect, it } from 'vitest'
import {
  answered,
  chunk,
  enrolled,
  found,
  listed,
  messaged,
  missed,
  ms,
  pushed,
  restarted,
  routeProved,
  sent,
  streamed,
  streamEnded,
  taskAfter,
  unanswered,
  type Line,
} from '../testing/history.ts'
import type { ReportFact } from '../fact/fact.ts'
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

describe('F5 the same end told again', () => {
  it('F5 is no change, whatever it says', () => {
    const [attempt] = taskAfter([...working, pushed('completed', { at: 4, text: 'done' }), found('completed', { at: 6, text: 'all done' })]).attempts
    expect(attempt?.changes.map(({ state, text }) => [state, text])).toEqual([['working', undefined], ['completed', 'done']])
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

describe('V6 what leaves an attempt in doubt', () => {
  const claim = { name: 'TaskNotCancelable', code: -32002, evidence: 'none', operation: 'CancelTask' } as const
  const contested: readonly Line[] = [...working, missed({ at: 5 }), found('working', { at: 6 })]
  const replicated: readonly Line[] = [enrolled({ replicas: 2 }, { at: -1 }), ...working]
  const doubtOf = ({ attempts: [attempt] }: TaskAnalysis) => attempt?.doubt && [attempt.doubt.because, ...attempt.doubt.positions]
  it.each<[string, readonly Line[], readonly (string | number)[] | undefined]>([
    ['V6 nothing', working, undefined],
    ['V6 weak evidence', [...working, missed({ at: 5, evidence: 'weak' }), missed({ at: 6, evidence: 'weak' })], ['weak-evidence', 3, 4]],
    ['V6 a strong not-found that is not enough after a contradiction (F10)', [...contested, missed({ at: 9 })], ['not-enough', 5]],
    ['V6 a strong one of several replicas (F11)', [...replicated, missed({ at: 9, instance: 'a' })], ['not-enough', 4]],
    ['V6 strong ones are told before weak ones, and alone', [...contested, missed({ at: 9, evidence: 'weak' }), missed({ at: 10 })], ['not-enough', 6]],
    ['V6 an error that claims an end', [...working, missed({ at: 5, ...claim }), missed({ at: 6, ...claim })], ['terminal-claimed', 3, 4]],
    ['V6 a not-found is told before a claim', [...working, missed({ at: 5, ...claim }), missed({ at: 6, evidence: 'weak' })], ['weak-evidence', 4]],
    ['V6 a call that got no answer', [...working, unanswered({ at: 5, task: 't-1', operation: 'GetTask' }), unanswered({ at: 6, task: 't-1', operation: 'GetTask' })], ['no-answer', 3, 4]],
    ['V6 a claim is told before a silence', [...working, unanswered({ at: 5, task: 't-1', operation: 'GetTask' }), missed({ at: 6, ...claim })], ['terminal-claimed', 4]],
    ['V6 a silence before the last life is none', [...working, unanswered({ at: 5, task: 't-1', operation: 'GetTask' }), found('working', { at: 6 })], undefined],
    ['V6 a stream that ended is none', [...working, streamEnded({ at: 5 })], undefined],
    ['V6 a lost attempt is lost and in no doubt', [...working, missed({ at: 5 })], undefined],
    ['V6 an ended one is in none', [...working, found('completed', { at: 5 }), missed({ at: 9, evidence: 'weak' })], undefined],
  ])('%s', (_fact, lines, doubt) => {
    expect(doubtOf(taskAfter(lines))).toEqual(doubt)
  })
})

describe('L13 a listing that was worth no event', () => {
  const lastLifeOf = (lines: readonly Line[]) => taskAfter(lines).attempts[0]?.lastLife.position
  const seen = found('working', { at: 10 })
  it.each<[string, readonly Line[], number]>([
    ['L13 is life where it repeats the state of the event before it', [seen, listed('working', { at: 50 })], 2],
    ['L13 a minute later as well', [seen, listed('working', { at: 70 })], 2],
    ['L13 after more than a minute it would have been worth one', [seen, listed('working', { at: 70.001 })], 1],
    ['L13 so it would with another state', [seen, listed('input-required', { at: 50 })], 1],
    ['L13 of another task it is none', [seen, listed('working', { at: 50, task: 't-2' })], 1],
    ['L13 the newest of them counts', [seen, listed('working', { at: 50 }), listed('working', { at: 40 })], 2],
    ['L13 after an error the state would have been news', [seen, missed({ at: 20 }), listed('working', { at: 50 })], 1],
    ['L13 a message sent into it in between says nothing of its state', [seen, sent({ at: 20, naming: 't-1' }), listed('working', { at: 50 })], 3],
    ['L13 where nothing was known before it, it is of another life of this id', [listed('working', { at: 5 }), seen], 2],
    ['L13 a listing is no answer to GetTask', [seen, routeProved({ at: 50, task: 't-1' })], 1],
  ])('%s', (_fact, lines, position) => {
    expect(lastLifeOf(lines)).toBe(position)
  })

  it('L13 names the instance that answered, where it is known', () => {
    expect(taskAfter([seen, listed('working', { at: 50, instance: 'i-1' })]).attempts[0]?.lastLife).toEqual({ position: 2, atMs: ms(50), instance: 'i-1' })
    expect(taskAfter([seen, listed('working', { at: 50 })]).attempts[0]?.lastLife).toStrictEqual({ position: 2, atMs: ms(50) })
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

  it('F1 is dated by the message that created it, and by the last one into it', () => {
    const [attempt] = taskAfter([...working, sent({ at: 5, naming: 't-1', sentMessageId: 'm-2' }), answered('working', { at: 6, messageId: 'm-2' })]).attempts
    expect(attempt).toMatchObject({ createdMs: ms(0), dispatchPosition: 3, dispatchMs: ms(5) })
    expect(taskAfter([found('working', { at: 1 }), sent({ at: 5, naming: 't-1' }), answered('working', { at: 6 })]).attempts[0]).not.toHaveProperty('createdMs')
  })

  it('F1 a message about a task is a sign of it, and states nothing', () => {
    expect(taskAfter([messaged('one moment', { at: 1, task: 't-1' })]).attempts).toMatchObject([{ state: 'unknown', statePosition: 1, changes: [], lastLife: { position: 1 }, firstSeenPosition: 1 }])
  })

  it('F1 a report that states no state changes none', () => {
    const stateless: Line = (position) => {
      const { state: _none, ...fact } = found('working')(position) as ReportFact
      return fact
    }
    expect(taskAfter([...working, stateless]).attempts[0]).toMatchObject({ state: 'working', statePosition: 2, changes: [{ position: 2 }] })
  })

  it('F1 no member for what is not known', () => {
    expect(taskAfter([found('working', { at: 1 })]).attempts).toStrictEqual([
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
