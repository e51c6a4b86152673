import { describe, expect, it } from 'vitest'
import { answered, found, missed, refused, sent, taskAfter, unanswered, type Line } from '../../testing/history.ts'
import { explainTask } from '../explain-task.ts'
import { causeTable } from '../../testing/cause-table.ts'

const asking = [sent(), answered('input-required'), sent({ sentMessageId: 'm-2', naming: 't-1' })]
const notFound = refused({ task: 't-1', name: 'TaskNotFound', code: -32001, evidence: 'strong' })
const bare = refused({ name: 'RouteNotFound', codeSpace: 'http', code: 404, httpStatus: 404, evidence: 'weak' })

causeTable('send_refused', [
  ['an error of the worker answers the send', [sent(), refused()], 'stated 1, 2'],
  ['credentials refused', [sent(), refused({ name: 'Unauthenticated', codeSpace: 'http', code: 401, httpStatus: 401 })], 'stated 1, 2'],
  ['the next one is accepted, the refusal stays a finding', [sent(), refused(), sent({ sentMessageId: 'm-2' }), answered('working')], 'stated 1, 2'],
  ['a message to a task that is gone', [...asking, notFound], 'stated 3, 4'],
  ['one where only the send tells which task was not found', [...asking, refused({ name: 'TaskNotFound', code: -32001 })], 'stated 3, 4'],
  ['a message to a task under another credential', [sent({ scope: 'a' }), answered('input-required', { scope: 'a' }), sent({ sentMessageId: 'm-2', naming: 't-1', scope: 'b' }), refused({ task: 't-1', name: 'TaskNotFound', code: -32001, evidence: 'strong', scope: 'b' })], 'stated 3, 4'],
  ['a message to a task that had ended', [sent(), answered('completed'), sent({ sentMessageId: 'm-2', naming: 't-1' }), notFound], 'stated 3, 4'],
  ['one that was lost then and turned out to have ended later', [...asking, notFound, found('completed', { at: 20 })], 'stated 3, 4'],
  ['a message to a task that nobody ever saw', [sent({ naming: 't-9' }), refused({ task: 't-9', name: 'TaskNotFound', code: -32001, evidence: 'strong' })], 'stated 1, 2'],
  ['another error to a message that names a task', [...asking, refused({ task: 't-1' })], 'stated 3, 4'],
  ['a bare 404', [sent(), bare], 'stated 1, 2'],
  ['an internal error is no refusal', [sent(), refused({ name: 'Internal', code: -32603 })], 'unknown_outcome'],
  ['silence is no refusal', [sent(), unanswered()], 'unknown_outcome'],
  ['an error to GetTask refuses no send', [sent(), answered('working'), missed({ name: 'PermissionDenied', evidence: 'none' })], 'none'],
])

describe('who is responsible for a refusal', () => {
  it.each<[string, readonly Line[], string, string]>([
    ['the client, where the worker says what is wrong with the message', [sent(), refused()], 'client', 'correct the message'],
    ['the client, where the task is one that nobody ever saw', [sent({ naming: 't-9' }), refused({ task: 't-9', name: 'TaskNotFound', code: -32001, evidence: 'strong' })], 'client', 'correct the message'],
    ['the client, where the task had ended', [sent(), answered('completed'), sent({ sentMessageId: 'm-2', naming: 't-1' }), notFound], 'client', 'correct the message'],
    ['nobody that is known, where the worker no longer knows a task that it had', [...asking, notFound], 'unknown', 'Follow the verdict'],
    ['nor where only the send tells which task that is', [...asking, refused({ name: 'TaskNotFound', code: -32001 })], 'unknown', 'Follow the verdict'],
    ['nor where that task turned out to have ended later', [...asking, notFound, found('completed', { at: 20 })], 'unknown', 'Follow the verdict'],
    ['nor where it may have been the route', [sent(), bare], 'unknown', 'Check the address'],
    ['nor where it may have been the route to a task that was seen', [...asking, refused({ task: 't-1', name: 'RouteNotFound', codeSpace: 'http', code: 404, httpStatus: 404, evidence: 'weak' })], 'unknown', 'Check the address'],
    ['nobody that is known, where it is to blame for none of several', [...asking, notFound, sent({ sentMessageId: 'm-3' }), bare], 'unknown', 'Follow the verdict'],
    ['the client, where it is to blame for one of several', [...asking, notFound, sent({ sentMessageId: 'm-3' }), refused()], 'client', 'correct the message'],
    ['the client, where it is to blame for the first of several', [sent({ sentMessageId: 'm-0' }), refused(), ...asking, notFound], 'client', 'correct the message'],
  ])('%s', (_fact, lines, responsible, nextAction) => {
    const finding = explainTask(taskAfter(lines)).findings.find(({ cause }) => cause === 'send_refused')
    expect(finding).toMatchObject({ responsible, confidence: 'stated', nextAction: expect.stringContaining(nextAction) })
  })
})
