import { describe, expect, it } from 'vitest'
import {
  answered,
  bare404,
  card,
  chunk,
  enrolled,
  found,
  listed,
  messaged,
  missed,
  moved,
  piece,
  refused,
  restarted,
  routeProved,
  sent,
  settled,
  streamed,
  taskAfter,
  unanswered,
  type Line,
} from '../testing/history.ts'
import type { ErrorFact, MessageFact } from '../fact/fact.ts'
import type { TaskAnalysis } from './analysis.ts'

/** Every attempt with its state and life, and every violation with its position. */
const toldOf = ({ attempts, violations }: TaskAnalysis): string =>
  [
    ...attempts.map(({ workerId, taskId, state, life }) => `${workerId}/${taskId} ${state} ${life}`),
    ...violations.map(({ code, position }) => `${code} at ${position}`),
  ].join(', ')

describe('K2 what was stated of a task that turned out to be of another logical task', () => {
  const conflict = 'correlation_conflict at 2'
  it.each<[string, readonly Line[], string]>([
    ['between the two positions it is a second claim', [found('working'), found('completed'), moved('real', 2)], `w1/t-1 working live, ${conflict}`],
    ['before the position from which on it was another\'s it stands', [found('completed'), found('working'), moved('real', 2)], `w1/t-1 completed ended, ${conflict}`],
    ['after the move it stands again', [found('working'), found('working'), moved('real', 2), found('completed')], `w1/t-1 completed ended, ${conflict}`],
    ['every event between them', [found('submitted'), found('working'), found('completed'), moved('real', 2)], `w1/t-1 submitted live, ${conflict}, correlation_conflict at 3`],
    ['of another task nothing moves', [found('working'), found('completed'), moved('real', 2, { task: 't-2' })], 'w1/t-1 completed ended'],
    ['of another worker nothing moves', [found('working'), found('completed'), moved('real', 2, { worker: 'w2' })], 'w1/t-1 completed ended'],
    ['of another stream nothing moves', [found('working'), found('completed'), moved('real', 2, { from: 'other' })], 'w1/t-1 completed ended'],
    ['what goes to a synthetic stream is not claimed by another task', [found('working'), found('completed'), moved('~w1/t-1', 2)], 'w1/t-1 completed ended'],
    ['of two moves each takes its own', [found('working'), found('working', { task: 't-2' }), found('completed', { task: 't-2' }), moved('real', 3, { task: 't-9' }), moved('real', 3, { task: 't-2' })], 'w1/t-1 working live, w1/t-2 working live, correlation_conflict at 3'],
  ])('K2 %s', (_fact, lines, told) => {
    expect(toldOf(taskAfter(lines))).toBe(told)
  })

  it('K2 a message that was sent, and a verdict of ours, stay where they are', () => {
    const decided = settled([found('working', { at: 0 }), sent({ at: 1, naming: 't-1' }), answered('working', { at: 2 }), missed({ at: 3 })])
    const task = taskAfter([...decided, moved('real', 2)])
    expect([task.dispatches.map(({ position }) => position), task.verdicts.map(({ position }) => position)]).toEqual([[2], [5]])
    expect(toldOf(task)).toBe('w1/t-1 working live, correlation_conflict at 3, correlation_conflict at 4')
    expect(task.violations[0]).toEqual({ code: 'correlation_conflict', position: 3, detail: 'The task belongs to "real".', workerId: 'w1', taskId: 't-1' })
  })
})

describe('K1 K2 events whose claim was refused', () => {
  const claimed = { refused: { code: 'correlation_claimed', correlationId: 'other' } } as const
  const conflicting = { refused: { code: 'correlation_conflict', correlationId: 'other' } } as const

  it('K1 of a claim that nobody was sent the claimed task is named, and the event counts', () => {
    const task = taskAfter([found('working', claimed)])
    expect([task.attempts.length, task.violations]).toEqual([
      1,
      [{ code: 'correlation_claimed', position: 1, detail: 'The worker claims "other" and was never sent that work.', workerId: 'w1', taskId: 't-1' }],
    ])
  })

  it('K1 a claim that was followed later is no oddity any more', () => {
    expect(taskAfter([found('working', { refused: { code: 'correlation_claimed', correlationId: 'k' } })]).violations).toEqual([])
  })

  it('K2 of a conflict the owner is named, and the event counts for nothing', () => {
    const task = taskAfter([found('completed', conflicting), sent({ ...conflicting })])
    expect([task.attempts, task.dispatches]).toEqual([[], []])
    expect(task.violations.map(({ detail }) => detail)).toEqual(['The task belongs to "other".', 'The task belongs to "other".'])
  })

  it('its own oddities are told beside it, and notes that are none are not', () => {
    expect(toldOf(taskAfter([found('working', { ...claimed, notes: ['timestamp_invalid', 'credentials_redacted'] })]))).toBe(
      'w1/t-1 working live, correlation_claimed at 1, timestamp_invalid at 1',
    )
  })

  it('an oddity of an event that names neither worker nor task names neither', () => {
    const nobodys: Line = (position) => ({ position, kind: 'nothing', channel: 'answer', source: 'gateway', atMs: 0, recordedAtMs: 0, notes: ['timestamp_invalid'] })
    expect(taskAfter([nobodys]).violations).toStrictEqual([{ code: 'timestamp_invalid', position: 1, detail: expect.any(String) }])
  })
})

describe('F6 an error that answers a message', () => {
  const told = (lines: readonly Line[]) => taskAfter([sent({ at: 0 }), answered('working', { at: 1 }), sent({ at: 5, naming: 't-1', sentMessageId: 'm-2' }), ...lines]).attempts[0]
  const unnamed = (rest: Partial<ErrorFact>) => told([refused({ at: 6, messageId: 'm-2', ...rest })])
  it.each<[string, Partial<ErrorFact>, readonly string[]]>([
    ['a named not-found is strong', { name: 'TaskNotFound', code: -32001 }, ['strong']],
    ['a bare one is weak', { name: 'RouteNotFound', codeSpace: 'http', code: 404, notFound: 'bare' }, ['weak']],
    ['one that contradicts itself is weak', { name: 'TaskNotFound', code: -32001, notFound: 'contradicted', notes: ['error_code_conflict'] }, ['weak']],
    ['another error is none', { name: 'Internal', code: -32603 }, []],
  ])('F6 %s', (_fact, rest, evidence) => {
    expect(unnamed(rest)?.notFounds.map((each) => each.evidence)).toEqual(evidence)
  })

  it.each<[string, Line]>([
    ['F6 another error', refused({ at: 6, messageId: 'm-2' })],
    ['F13 a message as the whole answer', messaged('done', { at: 6, messageId: 'm-2' })],
  ])('%s stays with the send', (_fact, line) => {
    expect(told([line])?.lastSeenPosition).toBe(2)
    expect(taskAfter([sent({ at: 5, naming: 't-1', sentMessageId: 'm-2' }), line]).facts[1]).not.toHaveProperty('taskId')
  })

  it('V6 no answer leaves the task that the message named in doubt', () => {
    expect(told([unanswered({ at: 6, messageId: 'm-2' })])?.doubt).toEqual({ because: 'no-answer', positions: [4] })
  })

  it('F8 a claim that the task has ended is about the task that the message named', () => {
    expect(unnamed({ name: 'TaskAlreadyTerminal', code: -32602, saysTerminal: true })?.doubt).toEqual({ because: 'terminal-claimed', positions: [4] })
  })
})

describe('F6 a not-found that answers a message', () => {
  const gone = { name: 'TaskNotFound', code: -32001, evidence: 'none' } as const
  const working: readonly Line[] = [sent({ at: 0 }), answered('working', { at: 1 })]
  it.each<[string, readonly Line[], string]>([
    ['is strong about the task that the message named', [...working, sent({ at: 5, naming: 't-1', sentMessageId: 'm-2' }), refused({ at: 6, messageId: 'm-2', ...gone })], 'w1/t-1 working lost'],
    ['another error says nothing about it', [...working, sent({ at: 5, naming: 't-1', sentMessageId: 'm-2' }), refused({ at: 6, messageId: 'm-2' })], 'w1/t-1 working live'],
    ['neither does the same without an answer', [...working, sent({ at: 5, naming: 't-1', sentMessageId: 'm-2' }), refused({ at: 6, messageId: 'm-9', ...gone })], 'w1/t-1 working live'],
    ['a message that named no task tells of none', [...working, sent({ at: 5, sentMessageId: 'm-2' }), refused({ at: 6, messageId: 'm-2', ...gone })], 'w1/t-1 working live'],
    ['each about the task of its own message', [...working, found('working', { at: 2, task: 't-2' }), sent({ at: 5, naming: 't-1', sentMessageId: 'm-2' }), sent({ at: 6, naming: 't-2', sentMessageId: 'm-3' }), refused({ at: 7, messageId: 'm-3', ...gone })], 'w1/t-1 working live, w1/t-2 working lost'],
    ['what it says itself of a task is left as weak as it is', [...working, sent({ at: 5, naming: 't-1', sentMessageId: 'm-2' }), refused({ at: 6, messageId: 'm-2', task: 't-1', ...gone, evidence: 'weak' })], 'w1/t-1 working live'],
  ])('F6 %s', (_fact, lines, told) => {
    expect(toldOf(taskAfter(lines))).toBe(told)
  })
})

describe('F7 under what an attempt was created', () => {
  const created = { at: 1, scope: 'a', binding: 'JSONRPC' }
  const evidenceOf = (lines: readonly Line[], asked: { readonly scope?: string; readonly binding?: string }) =>
    taskAfter([...lines, missed({ at: 50, ...asked })]).attempts[0]?.notFounds[0]?.evidence
  it.each<[string, readonly Line[], { readonly scope?: string; readonly binding?: string }, string]>([
    ['the scope of the send that created it', [sent({ at: 0, scope: 'a' }), answered('working', { at: 1 })], { scope: 'b' }, 'weak'],
    ['asked under that scope', [sent({ at: 0, scope: 'a' }), answered('working', { at: 1, scope: 'b' })], { scope: 'a' }, 'strong'],
    ['the scope of the answer to that send, where the send states none', [sent({ at: 0 }), answered('working', { ...created })], { scope: 'b' }, 'weak'],
    ['the scope of the first event of a stream that answered it', [sent({ at: 0 }), streamed('working', { at: 1, scope: 'a', operation: 'SendStreamingMessage' })], { scope: 'b' }, 'weak'],
    ['an answer to a refused send beside it states nothing', [sent({ at: 0, scope: 'b', sentMessageId: 'm-2' }), refused({ at: 0.5, scope: 'b', messageId: 'm-2' }), sent({ at: 0.7 }), answered('working', { at: 1, messageId: 'm-1' })], { scope: 'a' }, 'strong'],
    ['a message into it does not create it', [found('working', { at: 1, scope: 'a' }), sent({ at: 2, naming: 't-1', scope: 'b' }), answered('working', { at: 3 })], { scope: 'a' }, 'strong'],
    ['nobody saw it sent: the first answer that states one', [found('working', { at: 1 }), found('working', { at: 2, scope: 'a' }), found('working', { at: 3, scope: 'b' })], { scope: 'b' }, 'weak'],
    ['an update that came by itself was asked for under no scope', [streamed('working', { at: 1, scope: 'a' })], { scope: 'b' }, 'strong'],
    ['the binding as the scope', [sent({ at: 0 }), answered('working', { ...created })], { binding: 'HTTP+JSON' }, 'weak'],
    ['the binding of the first that states one', [found('working', { at: 1, scope: 'a' }), found('working', { at: 2, binding: 'JSONRPC' })], { binding: 'HTTP+JSON' }, 'weak'],
    ['where nothing is stated nothing differs', [sent({ at: 0 }), answered('working', { at: 1 })], { scope: 'b', binding: 'GRPC' }, 'strong'],
  ])('F7 %s', (_fact, lines, asked, evidence) => {
    expect(evidenceOf(lines, asked)).toBe(evidence)
  })
})

describe('F14 attempts are in order of first sight', () => {
  it.each<[string, readonly Line[], readonly string[]]>([
    ['by witness time', [found('working', { at: 5 }), found('working', { at: 3, task: 't-2' })], ['t-2', 't-1']],
    ['of one moment by position', [found('working', { at: 5, task: 't-2' }), found('working', { at: 5 })], ['t-2', 't-1']],
    ['of the first sign, not of the first not-found', [missed({ at: 1, task: 't-2' }), found('working', { at: 5 }), found('working', { at: 5, task: 't-2' })], ['t-1', 't-2']],
  ])('F14 %s', (_fact, lines, tasks) => {
    expect(taskAfter(lines).attempts.map(({ taskId }) => taskId)).toEqual(tasks)
  })
})

describe('one stream that tells of two tasks', () => {
  const first = streamed('working', { streamId: 's' })
  it.each<[string, readonly Line[], string]>([
    ['is told where it goes on with the second', [first, streamed('working', { task: 't-2', streamId: 's' })], 'task_id_changed at 2'],
    ['once, however often it changes', [first, streamed('working', { task: 't-2', streamId: 's' }), streamed('working', { task: 't-3', streamId: 's' })], 'task_id_changed at 2'],
    ['in the order of what was seen', [streamed('working', { at: 9, task: 't-2', streamId: 's' }), streamed('working', { at: 8, streamId: 's' })], 'task_id_changed at 1'],
    ['each stream by itself', [first, streamed('working', { task: 't-2', streamId: 'r' })], ''],
    ['a stream is one of its source', [first, streamed('working', { task: 't-2', streamId: 's', by: 'gateway' })], ''],
    ['without a stream there is none', [streamed('working'), streamed('working', { task: 't-2' })], ''],
    ['answers are asked for and no part of it', [first, found('working', { task: 't-2', streamId: 's' })], ''],
    ['a message that names no task changes none', [first, messaged('one moment', { channel: 'update', streamId: 's' })], ''],
    ['an error on it changes none', [first, missed({ task: 't-2', streamId: 's' })], ''],
  ])('%s', (_fact, lines, told) => {
    expect(taskAfter(lines).violations.map(({ code, position }) => `${code} at ${position}`).join(', ')).toBe(told)
  })

  it('names both tasks, and stands at the second', () => {
    expect(taskAfter([first, streamed('working', { task: 't-2', streamId: 's' })]).violations).toEqual([
      { code: 'task_id_changed', position: 2, detail: 'The stream began with task "t-1" and goes on with "t-2".', workerId: 'w1', taskId: 't-2' },
    ])
  })
})

describe('F16 closed by policy', () => {
  const lost: readonly Line[] = [sent({ at: 0 }), answered('working', { at: 1 }), missed({ at: 10 })]
  const trusted: readonly Line[] = [card({ at: -20 }), enrolled({ trust: 'card' }, { at: -19 }), ...lost]
  it.each<[string, readonly Line[], number, boolean]>([
    ['from the moment that grace ends', trusted, 40, true],
    ['as recorded', settled(trusted), 1_000, true],
    ['another verdict that was recorded leaves it open, whatever is trusted later', [...settled(lost), enrolled({ trust: 'card' }, { at: 200 })], 1_000, false],
  ])('F16 %s', (_fact, lines, asOf, terminal) => {
    expect(taskAfter(lines, { asOf }).terminal).toBe(terminal)
  })
})

describe('F13 a message as the whole answer', () => {
  const lines: readonly Line[] = [card({ at: -1 }), sent({ at: 0 }), messaged('done', { at: 1 })]

  it('is an artifact by the id of the message', () => {
    expect(taskAfter(lines).artifacts).toMatchObject([
      {
        key: 'answer-1',
        canonical: { workerId: 'w1', mediaTypes: ['text/plain'], complete: true, content: [{ position: 3, at: 0 }], bytes: 4, digest: piece('done').digest, isLinked: false, firstPosition: 3, positions: [3], metadata: [] },
      },
    ])
    expect(taskAfter(lines).artifacts[0]?.canonical).not.toHaveProperty('taskId')
  })

  it('is held against the card of its worker, as who sent the work had it', () => {
    const after = (outputModes: readonly string[]) =>
      taskAfter([card({ at: -2, outputModes }), sent({ at: 0, acceptedModes: ['text/plain'] }), sent({ at: 0.5, sentMessageId: 'm-2', acceptedModes: ['image/png'] }), messaged('done', { at: 1, messageId: 'm-1' })])
    expect(after(['text/plain']).artifacts[0]?.canonical.judgedBy).toMatchObject([
      { by: 'emission', cardPosition: 1, isAdvertised: true, isNegotiated: true },
      { by: 'dispatch', cardPosition: 1, isAdvertised: true, isNegotiated: true },
    ])
    expect(after(['text/plain']).violations).toEqual([])
    expect(after(['application/json']).artifacts[0]?.canonical.judgedBy).toMatchObject([{ isAdvertised: false, isNegotiated: false }, { isAdvertised: false, isNegotiated: false }])
    expect(after(['application/json']).violations.map(({ code }) => code)).toContain('media_type_not_advertised')
  })

  it('tells where some of its content is only linked to', () => {
    expect(taskAfter([sent({ at: 0 }), messaged('x', { at: 1, artifact: { isLinked: true } })]).artifacts[0]?.canonical.isLinked).toBe(true)
    expect(taskAfter([found('working'), chunk('x', { artifact: { isLinked: true } }), chunk('y', { append: true })]).artifacts[0]?.canonical.isLinked).toBe(true)
    expect(taskAfter([found('working'), chunk('x')]).artifacts[0]?.canonical.isLinked).toBe(false)
  })

  it('goes by its position where the message has no id', () => {
    const nameless: Line = (position) => {
      const { ownMessageId: _none, ...fact } = messaged('done', { at: 1 })(position) as MessageFact
      return fact
    }
    expect(taskAfter([sent({ at: 0 }), nameless]).artifacts.map(({ key }) => key)).toEqual(['#2'])
  })

  it('of two workers that answer the same message there are two versions', () => {
    const answers = [sent({ at: 0 }), messaged('one', { at: 1, messageId: 'm-1' }), sent({ at: 2, worker: 'w2' }), messaged('two', { at: 3, worker: 'w2', messageId: 'm-1' })]
    expect(taskAfter(answers).artifacts.map(({ key, variants }) => [key, variants.length])).toEqual([['answer-1', 1]])
  })

  it('counts as much as what the attempt that stands for the task made', () => {
    const { artifacts } = taskAfter([sent({ at: 0 }), messaged('done', { at: 1, ownMessageId: 'a-1', messageId: 'm-1' }), sent({ at: 2, worker: 'w2', sentMessageId: 'm-2' }), answered('completed', { at: 3, worker: 'w2', messageId: 'm-2', holding: [piece('other')] })])
    expect(artifacts.map(({ canonical, variants }) => [canonical.workerId, variants.map(({ because }) => because)])).toEqual([['w1', ['it came later']]])
  })

  it('a message about a task is that task, and no artifact', () => {
    expect(taskAfter([sent({ at: 0 }), messaged('one moment', { at: 1, task: 't-1' })]).artifacts).toEqual([])
  })

  it('a remark beside the task is none', () => {
    expect(taskAfter([sent({ at: 0 }), answered('working', { at: 1 }), messaged('busy', { at: 2, operation: 'GetTask' })]).artifacts).toEqual([])
  })
})

describe('F15 whether an attempt was inside its contract', () => {
  const asked = sent({ at: 0, acceptedModes: ['application/json'] })
  it.each<[string, readonly Line[], boolean]>([
    ['what was negotiated', [card({ at: -1 }), sent({ at: 0 }), answered('working', { at: 1, holding: [piece('x')] })], true],
    ['what the client does not accept', [card({ at: -1, outputModes: ['text/plain', 'application/json'] }), asked, answered('working', { at: 1, holding: [piece('x')] })], false],
    ['a state that the card does not reach is no breach of it', [card({ at: -1, reachableStates: ['completed'] }), sent({ at: 0 }), answered('working', { at: 1 })], true],
  ])('F15 %s', (_fact, lines, conforms) => {
    expect(taskAfter(lines).attempts[0]?.conforms).toBe(conforms)
  })
})

describe('F15 what was known of an attempt when the same work was sent again', () => {
  const first: readonly Line[] = [sent({ at: 0 }), answered('working', { at: 1 })]
  const again: readonly Line[] = [sent({ at: 20, worker: 'w2', sentMessageId: 'm-2' }), answered('working', { at: 21, worker: 'w2', task: 't-9', messageId: 'm-2' })]
  it.each<[string, readonly Line[], number]>([
    ['it was missed at that very moment', [...first, missed({ at: 20 }), ...again], 0],
    ['a bare 404, and nobody proved its route', [...first, bare404({ at: 10 }), ...again], 1],
    ['a restart before that, which was found to have lost it later', [...first, restarted({ at: 10 }), ...again, missed({ at: 30 })], 0],
    ['a restart at that very moment', [...first, restarted({ at: 20 }), ...again, missed({ at: 30 })], 0],
    ['a restart after that', [...first, restarted({ at: 25 }), ...again, missed({ at: 30 })], 1],
    ['a restart that it lived through', [...first, restarted({ at: 10 }), ...again, found('working', { at: 30 })], 1],
    ['a restart that it lived through, and a later one that it did not', [...first, restarted({ at: 2 }), found('working', { at: 5 }), restarted({ at: 25 }), ...again, missed({ at: 30 })], 1],
    ['an error that takes nothing away', [...first, refused({ at: 10, task: 't-1', operation: 'CancelTask' }), ...again], 1],
    ['a listing that was seen later did not tell it alive yet', [...first, listed('working', { at: 25 }), missed({ at: 10 }), ...again], 0],
    ['a listing that was seen by then did', [...first, listed('working', { at: 15 }), missed({ at: 10 }), ...again], 1],
    ['one of that very moment did as well', [...first, listed('working', { at: 20 }), missed({ at: 10 }), ...again], 1],
    ['a route that was proved later', [...first, bare404({ at: 10 }), ...again, routeProved({ at: 30 })], 0],
    ['its first sign came later, its not-found before', [sent({ at: 0 }), missed({ at: 10 }), answered('working', { at: 30, messageId: 'm-1' }), ...again], 1],
  ])('F15 %s', (_fact, lines, count) => {
    expect(taskAfter(lines).duplicateExecutions.length).toBe(count)
  })
})
