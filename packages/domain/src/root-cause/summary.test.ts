import { describe, expect, it } from 'vitest'
import { answered, bare404, concluded, enrolled, found, messaged, missed, piece, pushed, refused, restarted, sent, taskAfter, unanswered, type Line } from '../testing/history.ts'
import { explainTask } from './explain-task.ts'

const summaryOf = (lines: readonly Line[]) => explainTask(taskAfter(lines)).summary

describe('the summary names the state, the cause and who is responsible', () => {
  it.each<[string, readonly Line[], string]>([
    ['lost on restart', [sent(), answered('working'), restarted(), missed()], 'The task is indeterminate, last observed as working: worker w1 restarted and lost task t-1; worker w1 is responsible.'],
    ['an owner', [enrolled({ owner: 'team-a' }), sent(), answered('working'), restarted(), missed()], 'The task is indeterminate, last observed as working: worker w1 restarted and lost task t-1; worker w1 is responsible (owner: team-a).'],
    ['no answer', [sent(), unanswered()], 'The task is indeterminate and no state of it was ever observed: a message to worker w1 got no answer, so nobody knows whether it has the work; who is responsible is not known.'],
    ['sent', [sent()], 'The task was sent and no worker is known to have taken it (dispatched).'],
    ['refused', [sent(), refused()], 'The task was sent and no worker is known to have taken it (dispatched): worker w1 refused the message, so nothing was created by it; the client is responsible.'],
    ['working', [sent(), answered('working')], 'The task is working, as worker w1 itself reports.'],
    ['submitted', [sent(), answered('submitted')], 'The task is submitted, as worker w1 itself reports.'],
    ['unknown', [sent(), answered('unknown')], 'The task is in a state that its worker calls unknown, as worker w1 itself reports.'],
    ['completed', [sent(), answered('completed')], 'The task is completed, as worker w1 itself reports.'],
    ['completed by a message', [sent(), messaged('42')], 'The task is completed.'],
    ['failed', [sent(), answered('failed')], 'The task has failed, as worker w1 itself reports.'],
    ['what nobody witnessed', [missed({ task: 't-9' })], 'The task is indeterminate and no state of it was ever observed: task t-9 was never seen at worker w1; who is responsible is not known. No other traffic of w1 was witnessed.'],
    ['waiting for input', [sent(), answered('input-required', { text: 'Which?' })], 'The task waits for input (input-required): worker w1 asked for input and waits for the answer; the client is responsible. The worker says: "Which?".'],
    ['waiting for credentials', [sent(), answered('auth-required', { text: 'Sign in' })], 'The task waits for credentials (auth-required): worker w1 waits for credentials; the client is responsible. The worker says: "Sign in".'],
    ['rejected', [sent(), answered('rejected')], 'The task was rejected, as worker w1 itself reports.'],
    ['found and not found', [sent(), answered('working'), missed(), found('working')], 'The task is working: task t-1 was not found and then found again: replicas of w1 do not share their tasks and routing is not sticky; the platform that runs it is responsible.'],
    ['an end is told by itself, other findings beside it', [sent(), answered('completed'), missed()], 'The task is completed, as worker w1 itself reports. Also found: purged_after_terminal.'],
  ])('%s', (_fact, lines, summary) => {
    expect(summaryOf(lines)).toBe(summary)
  })
})

describe('the summary quotes the worker', () => {
  it.each<[string, readonly Line[], string]>([
    ['the question', [sent(), answered('input-required', { text: 'Which invoice?' })], 'The worker says: "Which invoice?".'],
    ['the request for credentials', [sent(), answered('auth-required', { text: 'Sign in at the portal' })], 'The worker says: "Sign in at the portal".'],
    ['why it failed', [sent(), answered('failed', { text: 'Quota exceeded' })], 'The worker says: "Quota exceeded".'],
    ['why it was canceled', [sent(), answered('canceled', { text: 'Stopped by the operator' })], 'The worker says: "Stopped by the operator".'],
    ['the question of the completion that is suspicious, not of another', [sent(), answered('completed', { text: 'Please confirm the order', at: 1, messageId: 'm-1' }), sent({ at: 2, worker: 'w2', sentMessageId: 'm-2' }), answered('failed', { at: 3, worker: 'w2', messageId: 'm-2', text: 'Quota exceeded' })], 'The worker says: "Please confirm the order".'],
    ['of the first of two', [sent(), answered('completed', { text: 'It is done', at: 1, messageId: 'm-1', holding: [piece('42')] }), sent({ at: 2, worker: 'w2', sentMessageId: 'm-2' }), answered('completed', { at: 3, worker: 'w2', messageId: 'm-2', text: 'Please confirm the order' })], 'The worker says: "Please confirm the order".'],
    ['of two tasks of one worker the one that asks', [sent(), answered('completed', { text: 'It is done', at: 1, messageId: 'm-1', holding: [piece('42')] }), sent({ at: 2, sentMessageId: 'm-2' }), answered('completed', { at: 3, task: 't-2', messageId: 'm-2', text: 'Please confirm the order' })], 'The worker says: "Please confirm the order".'],
    ['why it was rejected', [sent(), answered('rejected', { text: 'Not my job' })], 'The worker says: "Not my job".'],
    ['the question of a lost task', [sent(), answered('input-required', { text: 'Which day?' }), missed()], 'The worker says: "Which day?".'],
    ['the question of a suspicious completion', [sent(), answered('completed', { text: 'Please confirm the order' })], 'The worker says: "Please confirm the order".'],
    ['the newest words', [sent(), answered('input-required', { text: 'Which?' }), pushed('input-required', { text: 'Which day?' })], 'The worker says: "Which day?".'],
    ['words that a later snapshot lacks', [sent(), answered('input-required', { text: 'Which?' }), found('input-required')], 'The worker says: "Which?".'],
  ])('%s', (_fact, lines, quote) => {
    expect(summaryOf(lines)).toContain(quote)
  })

  it('not while it works, and not a result', () => {
    expect(summaryOf([sent(), answered('working', { text: 'half way' })])).not.toContain('half way')
    expect(summaryOf([sent(), answered('completed', { text: 'It is done' })])).not.toContain('It is done')
  })

  it('not of an attempt that failed beside one that completed', () => {
    expect(summaryOf([sent(), answered('completed', { messageId: 'm-1' }), sent({ worker: 'w2', sentMessageId: 'm-2' }), answered('failed', { worker: 'w2', messageId: 'm-2', text: 'Quota exceeded' })])).not.toContain('Quota exceeded')
  })

  it('with at most 200 characters', () => {
    const summary = summaryOf([sent(), answered('failed', { text: 'x'.repeat(201) })])
    expect(summary).toContain(`"${'x'.repeat(200)}"`)
  })
})

describe('the summary names what else was found', () => {
  const others: readonly Line[] = [
    missed({ task: 't-9' }),
    bare404({ task: 't-8' }),
    refused({ name: 'Unavailable', codeSpace: 'http', code: 502, isFromGateway: true }),
    pushed('completed', { at: 50, stamped: 50 }),
    pushed('working', { at: 51, stamped: 10 }),
    missed({ at: 90 }),
    concluded('failed', { at: 0 }),
  ]
  const also = (count: number): string =>
    /Also found: (.*)\.$/.exec(summaryOf([sent(), answered('completed'), ...others.slice(0, count)]))?.[1] ?? 'nothing'

  it('each once, in order, and nothing where there is nothing else', () => {
    expect([also(0), also(1), also(2)]).toEqual(['nothing', 'never_existed', 'never_existed, route_not_found'])
  })

  it('five of them, and that there are more', () => {
    expect([also(6), also(7)]).toEqual([
      'purged_after_terminal, never_existed, route_not_found, gateway_error, push_unordered',
      'purged_after_terminal, never_existed, premature_failure, route_not_found, gateway_error and more',
    ])
  })
})
