import { describe, expect, it } from 'vitest'
import { answered, chunk, found, inputOf, messaged, missed, ms, pushed, refused, sent, streamed, taskAfter, unanswered, type Line } from '../testing/history.ts'
import type { Channel, ErrorFact, TaskFact } from '../fact/fact.ts'
import type { TaskAnalysis } from './analysis.ts'
import { deriveDispatches } from './dispatch.ts'

/** Each send in order: its message, what became of it, and the task that answered it. */
const outcomesOf = ({ dispatches }: TaskAnalysis): string =>
  dispatches
    .map(({ messageId, outcome, taskId }) => `${messageId ?? '?'} ${outcome}${taskId === undefined ? '' : ` ${taskId}`}`)
    .join(', ')

/** An answer to the send, or an event of the stream that it opened, in which nothing is said. */
const silent = (channel: Channel): Line => (position) => ({ ...unanswered()(position), kind: 'nothing', channel }) as TaskFact

describe('F13 what becomes of a send', () => {
  it.each<[string, readonly Line[], string]>([
    ['F13 a send that nobody saw answered is pending', [sent()], 'm-1 pending'],
    ['F13 answered with a task', [sent(), answered('working')], 'm-1 task t-1'],
    ['F13 answered with the first event of a stream', [sent(), streamed('working', { operation: 'SendStreamingMessage' })], 'm-1 task t-1'],
    ['F13 answered with a message', [sent(), messaged('done')], 'm-1 message'],
    ['F13 a message about a task is that task', [sent(), messaged('one moment', { task: 't-1' })], 'm-1 task t-1'],
    ['F13 an error of the worker refuses it', [sent(), refused()], 'm-1 refused'],
    ['F13 a strong not-found of the task it names refuses it', [found('working'), sent({ naming: 't-1' }), missed({ operation: 'SendMessage' })], 'm-1 refused'],
    ['F13 authentication that is missing refuses it', [sent(), refused({ name: 'Unauthenticated', codeSpace: 'http', code: 401, httpStatus: 401 })], 'm-1 refused'],
    ['F13 too many requests refuse it', [sent(), refused({ name: 'Unavailable', codeSpace: 'http', code: 429, httpStatus: 429 })], 'm-1 refused'],
    ['F13 a timeout is no answer', [sent(), unanswered()], 'm-1 no-answer'],
    ['F13 -32603 is no answer', [sent(), refused({ name: 'Internal', code: -32603 })], 'm-1 no-answer'],
    ['F13 a 500 without a JSON-RPC body is no answer', [sent(), refused({ name: 'Internal', codeSpace: 'http', code: 500, httpStatus: 500 })], 'm-1 no-answer'],
    ['F13 a 503 without a JSON-RPC body is no answer', [sent(), refused({ name: 'Unavailable', codeSpace: 'http', code: 503, httpStatus: 503 })], 'm-1 no-answer'],
    ['F13 a body that says 503 of itself is no answer', [sent(), refused({ name: 'Unavailable', codeSpace: 'http', code: 503 })], 'm-1 no-answer'],
    ['F13 a JSON-RPC error under status 500 refuses it', [sent(), refused({ httpStatus: 500 })], 'm-1 refused'],
    ['F13 what a proxy answers is no answer', [sent(), refused({ name: 'Unavailable', codeSpace: 'http', code: 404, httpStatus: 404, isFromGateway: true })], 'm-1 no-answer'],
    ['F13 gRPC UNAVAILABLE is no answer', [sent(), refused({ name: 'Unavailable', codeSpace: 'grpc', code: 14 })], 'm-1 no-answer'],
    ['F13 gRPC DEADLINE_EXCEEDED is no answer', [sent(), refused({ name: 'Timeout', codeSpace: 'grpc', code: 4 })], 'm-1 no-answer'],
    ['F13 gRPC UNKNOWN is no answer', [sent(), refused({ name: 'Server', codeSpace: 'grpc', code: 2 })], 'm-1 no-answer'],
    ['F13 gRPC INVALID_ARGUMENT refuses it', [sent(), refused({ codeSpace: 'grpc', code: 3 })], 'm-1 refused'],
    ['F13 an error whose code and text disagree is no answer', [sent(), refused({ name: 'Timeout', code: -32001, notes: ['error_code_conflict'] })], 'm-1 no-answer'],
    ['F13 a 500 is no answer, whatever it is called', [sent(), refused({ name: 'Unavailable', codeSpace: 'http', code: 500 })], 'm-1 no-answer'],
    ['F13 gRPC without a code is no answer', [sent(), ((position) => { const { code: _none, ...fact } = refused({ name: 'Unavailable', codeSpace: 'grpc' })(position) as ErrorFact; return fact })], 'm-1 no-answer'],
    ['F13 an HTTP status below 500 refuses it, whatever the body calls it', [sent(), refused({ name: 'Unavailable', codeSpace: 'http', code: 499 })], 'm-1 refused'],
    ['F13 an answer that says nothing is no answer', [sent(), silent('answer')], 'm-1 no-answer'],
    ['F13 an event of a stream that says nothing leaves the answer to the next one', [sent(), silent('update'), streamed('working', { operation: 'SendStreamingMessage' })], 'm-1 task t-1'],
    ['F13 an artifact alone is no answer', [sent(), chunk('x', { channel: 'answer', operation: 'SendMessage' })], 'm-1 pending'],
    ['F13 an answer to another operation is no answer to a send', [sent(), missed({ operation: 'GetTask' }), unanswered({ operation: 'GetTask' })], 'm-1 pending'],
  ])('%s', (_fact, lines, outcomes) => {
    expect(outcomesOf(taskAfter(lines))).toBe(outcomes)
  })
})

describe('F13 which send an answer belongs to', () => {
  const two: readonly Line[] = [sent({ sentMessageId: 'm-1' }), sent({ sentMessageId: 'm-2' })]
  it.each<[string, readonly Line[], string]>([
    ['F13 an answer belongs to the send that it names', [...two, answered('working', { messageId: 'm-2' })], 'm-1 pending, m-2 task t-1'],
    ['F13 an answer that names no message belongs to the oldest pending send', [...two, answered('working')], 'm-1 task t-1, m-2 pending'],
    ['F13 the second unnamed answer belongs to the second send', [...two, answered('working'), answered('working', { task: 't-2' })], 'm-1 task t-1, m-2 task t-2'],
    ['F13 a refusal and a task, each to its own send', [...two, refused({ messageId: 'm-1' }), answered('working', { messageId: 'm-2' })], 'm-1 refused, m-2 task t-1'],
    ['F13 an answer that names a message nobody saw sent answers none', [sent({ sentMessageId: 'm-2' }), answered('working', { messageId: 'm-1' })], 'm-2 pending'],
    ['F13 a send without a message id may be the one that is named', [sent({ isUnnamed: true }), answered('working', { messageId: 'm-1' })], '? task t-1'],
    ['F13 the named send is found although its witness has a later clock', [sent({ at: 10 }), answered('working', { at: 9, messageId: 'm-1', by: 'gateway' })], 'm-1 task t-1'],
    ['F13 of one message sent twice the oldest pending send is answered first', [sent({ at: 0 }), unanswered({ at: 1, messageId: 'm-1' }), sent({ at: 2 }), answered('working', { at: 3, messageId: 'm-1' })], 'm-1 no-answer, m-1 task t-1'],
    ['F13 a second witness of one answer answers no other send', [sent({ at: 0 }), answered('working', { at: 1, messageId: 'm-1' }), answered('working', { at: 1.1, messageId: 'm-1', by: 'gateway' }), sent({ at: 5 })], 'm-1 task t-1, m-1 pending'],
    ['F13 an unnamed answer belongs to a send of its own source', [sent({ by: 'a', sentMessageId: 'm-1' }), sent({ by: 'b', sentMessageId: 'm-2' }), answered('working', { by: 'b' })], 'm-1 pending, m-2 task t-1'],
    ['F13 a source that recorded no send may answer any', [sent({ by: 'a' }), answered('working', { by: 'gateway' })], 'm-1 task t-1'],
    ['F13 a source whose sends are all answered answers none of others', [sent({ by: 'a', sentMessageId: 'm-1' }), sent({ by: 'b', sentMessageId: 'm-2' }), refused({ by: 'b' }), refused({ by: 'b' })], 'm-1 pending, m-2 refused'],
    ['F13 an answer of another worker answers nothing here', [sent(), answered('working', { worker: 'w2' })], 'm-1 pending'],
    ['F13 an answer seen before the send was made is none', [refused({ at: 0 }), sent({ at: 5 })], 'm-1 pending'],
    ['F13 an answer about a task belongs to the send that names it', [found('working', { at: 0 }), sent({ sentMessageId: 'm-1' }), sent({ sentMessageId: 'm-2', naming: 't-1' }), answered('working')], 'm-1 pending, m-2 task t-1'],
    ['F13 a worker may answer a message into one task with a new one', [found('working', { at: 0 }), sent({ sentMessageId: 'm-1', naming: 't-1' }), answered('working', { task: 't-2' })], 'm-1 task t-2'],
    ['F13 one of which a task was found has that, and is not answered with a third one', [found('working', { at: 0 }), sent({ sentMessageId: 'm-1', naming: 't-1' }), found('working', { task: 't-2', historyMessageId: 'm-1' }), answered('working', { task: 't-3' })], 'm-1 task t-2'],
    ['F13 a send that asks for a new task comes before one that names another task', [found('working', { at: 0 }), sent({ sentMessageId: 'm-1', naming: 't-1' }), sent({ sentMessageId: 'm-2' }), answered('working', { task: 't-2' })], 'm-1 pending, m-2 task t-2'],
    ['F13 a task that answers a send already is no new one', [sent({ at: 0, sentMessageId: 'm-1' }), answered('working', { at: 1, task: 't-2' }), sent({ at: 20, sentMessageId: 'm-2', naming: 't-1' }), answered('working', { at: 21, task: 't-2' })], 'm-1 task t-2, m-2 pending'],
    ['F13 a send that another answer found a task for is answered with that task', [sent({ sentMessageId: 'm-1' }), found('working', { task: 't-2', historyMessageId: 'm-1' }), sent({ sentMessageId: 'm-2' }), answered('working')], 'm-1 task t-2, m-2 task t-1'],
    ['F13 by that task it is', [sent({ sentMessageId: 'm-1' }), found('working', { historyMessageId: 'm-1' }), answered('working')], 'm-1 task t-1'],
    ['F13 and answered for good: what is refused next is another one', [sent({ sentMessageId: 'm-1' }), found('working', { historyMessageId: 'm-1' }), answered('working'), sent({ sentMessageId: 'm-2' }), refused()], 'm-1 task t-1, m-2 refused'],
    ['F13 a refusal that names no task may be of any', [sent({ sentMessageId: 'm-1' }), found('working', { historyMessageId: 'm-1' }), sent({ sentMessageId: 'm-2' }), refused()], 'm-1 task t-1, m-2 pending'],
    ['F13 a snapshot of the same task answers another send', [...two, streamed('working', { operation: 'SendStreamingMessage' }), answered('working')], 'm-1 task t-1, m-2 task t-1'],
    ['F13 an update of another task answers another send', [...two, streamed('working', { operation: 'SendStreamingMessage' }), streamed('working', { task: 't-2', operation: 'SendStreamingMessage' })], 'm-1 task t-1, m-2 task t-2'],
    ['F13 a message on that stream that names no task answers another send', [...two, streamed('working', { operation: 'SendStreamingMessage' }), messaged('done', { channel: 'update', operation: 'SendStreamingMessage' })], 'm-1 task t-1, m-2 message'],
    ['F13 a second message on that stream about its task answers another send', [...two, messaged('one', { task: 't-1', channel: 'update' }), messaged('two', { task: 't-1', channel: 'update' })], 'm-1 task t-1, m-2 task t-1'],
    ['F13 a task that a send was found to have got answers that one, not an older one that is open', [...two, found('working', { historyMessageId: 'm-2' }), answered('working')], 'm-1 pending, m-2 task t-1'],
    ['F13 once it was answered with another task, that task is of another send', [...two, found('working', { historyMessageId: 'm-2' }), answered('working', { task: 't-2', messageId: 'm-2' }), answered('working')], 'm-1 task t-1, m-2 task t-2'],
    ['F13 a message into a task that got another one is not answered with the task it names', [found('working', { at: 0 }), sent({ naming: 't-1', sentMessageId: 'm-1' }), found('working', { task: 't-2', historyMessageId: 'm-1' }), sent({ naming: 't-1', sentMessageId: 'm-2' }), answered('working')], 'm-1 task t-2, m-2 task t-1'],
    ['F13 a message into a task is answered by what names no task', [found('working', { at: 0 }), sent({ naming: 't-1' }), refused()], 'm-1 refused'],
    ['F13 of messages into one task the first that is open is answered', [found('working', { at: 0 }), ...['m-1', 'm-2', 'm-3'].map((sentMessageId) => sent({ naming: 't-1', sentMessageId })), answered('working', { messageId: 'm-2' }), answered('working'), answered('working')], 'm-1 task t-1, m-2 task t-1, m-3 task t-1'],
    ['F13 what one witness saw before any send of its own may answer those of others', [sent({ at: 0, by: 'a', sentMessageId: 'm-1' }), answered('working', { at: 5, by: 'b' }), sent({ at: 10, by: 'b', sentMessageId: 'm-2' })], 'm-1 task t-1, m-2 pending'],
    ['F13 a second answer to a message is none of the same message sent later', [sent({ at: 0 }), answered('working', { at: 1, messageId: 'm-1' }), refused({ at: 5, messageId: 'm-1' }), sent({ at: 10 })], 'm-1 task t-1, m-1 pending'],
    ['F13 later updates of a stream that name a message nobody saw answer no other send', [sent({ isUnnamed: true }), sent({ isUnnamed: true }), streamed('working', { operation: 'SendStreamingMessage', messageId: 'm-9' }), streamed('completed', { operation: 'SendStreamingMessage', messageId: 'm-9' })], '? task t-1, ? pending'],
    ['F13 nor do those of a task that a named send has got', [sent(), answered('working'), sent({ isUnnamed: true }), streamed('completed', { operation: 'SendStreamingMessage', messageId: 'm-9' })], 'm-1 task t-1, ? pending'],
    ['F13 an update of a task from before its send answers another send', [sent({ at: 10, sentMessageId: 'm-2' }), answered('working', { at: 4, messageId: 'm-2' }), sent({ at: 0, sentMessageId: 'm-1' }), streamed('working', { at: 5, operation: 'SendStreamingMessage' })], 'm-1 task t-1, m-2 task t-1'],
    ['F13 an update of a task whose send turned out to have got another one answers the next', [sent({ sentMessageId: 'm-1' }), found('working', { historyMessageId: 'm-1' }), answered('working', { task: 't-2', messageId: 'm-1' }), sent({ sentMessageId: 'm-2' }), streamed('working', { operation: 'SendStreamingMessage' })], 'm-1 task t-2, m-2 task t-1'],
    ['F13 later updates of one stream answer no other send', [...two, streamed('working', { operation: 'SendStreamingMessage' }), streamed('completed', { operation: 'SendStreamingMessage' })], 'm-1 task t-1, m-2 pending'],
  ])('%s', (_fact, lines, outcomes) => {
    expect(outcomesOf(taskAfter(lines))).toBe(outcomes)
  })
})

describe('F13 sends of v0.1, whose clients choose the ids of their tasks', () => {
  const old = { protocolVersion: '0.1', isUnnamed: true, naming: 't-1' } as const
  /** What became of each send, which task it named as one that was there, and whether the task that it names begins with it. */
  const namedOf = (lines: readonly Line[]): string =>
    taskAfter(lines)
      .dispatches.map(({ outcome, taskId = '?', namedTaskId = 'none', isOpening }) => `${outcome} ${taskId}, named ${namedTaskId}${isOpening === true ? ', begun' : ''}`)
      .join('; ')
  it.each<[string, readonly Line[], string]>([
    ['F13 the first one to an id begins that task', [sent(old), answered('working')], 'task t-1, named none, begun'],
    ['F13 the next one goes into it', [sent(old), answered('input-required'), sent({ ...old, at: 10 }), answered('working', { at: 11 })], 'task t-1, named none, begun; task t-1, named t-1'],
    ['F13 one to a task that was seen before goes into it', [found('working', { at: 0 }), sent({ ...old, at: 10 }), answered('working', { at: 11 })], 'task t-1, named t-1'],
    ['F13 a task of that id that turns up later is that of a send without an answer', [sent(old), unanswered(), found('working', { at: 20 })], 'task t-1, named none, begun'],
    ['F13 a task of another id is not', [sent(old), unanswered(), found('working', { at: 20, task: 't-2' })], 'no-answer ?, named none'],
    ['F13 of a message into a task that was there it tells nothing', [found('working', { at: 0 }), sent({ ...old, at: 10 }), unanswered({ at: 11 }), found('working', { at: 20 })], 'no-answer ?, named t-1'],
    ['F13 not where the send was refused: it is a task of somebody else', [sent(old), refused(), found('working', { at: 20 })], 'refused ?, named none'],
    ['F13 later versions leave the choice to the worker, so the send named one', [sent({ ...old, protocolVersion: '0.3' }), answered('working')], 'task t-1, named t-1, begun'],
    ['F13 where the worker took another id, no task of that name begins', [sent({ ...old, protocolVersion: '0.3' }), answered('working', { task: 't-2' })], 'task t-2, named t-1'],
    ['F13 nor where nobody saw an answer', [sent({ ...old, protocolVersion: '0.3' })], 'pending ?, named t-1'],
    ['F13 a send without an id, and without an answer, begins nothing', [sent({ isUnnamed: true })], 'pending ?, named none'],
    ['F13 told by a second witness it is one send', [sent({ ...old, at: 1 }), sent({ ...old, at: 1.1, by: 'proxy' }), answered('working', { at: 2 })], 'task t-1, named none, begun'],
    ['F13 with other words it is another one', [sent({ ...old, at: 1 }), sent({ ...old, at: 1.1, by: 'proxy', contentDigest: 'other work' }), answered('working', { at: 2 })], 'task t-1, named none, begun; pending ?, named t-1'],
    ['F13 nor does a send that names no task, which v0.1 does not have', [sent({ protocolVersion: '0.1', isUnnamed: true, at: 1 }), sent({ protocolVersion: '0.1', isUnnamed: true, at: 1.1, by: 'proxy' })], 'pending ?, named none; pending ?, named none'],
    ['F13 in later versions it is the id of the message that tells, and without one nothing', [sent({ ...old, protocolVersion: '0.3', at: 1 }), sent({ ...old, protocolVersion: '0.3', at: 1.1, by: 'proxy' })], 'pending ?, named t-1; pending ?, named t-1'],
    ['F13 and one without an answer tells nothing of a task that turns up', [sent({ ...old, protocolVersion: '0.3' }), unanswered(), found('working', { at: 20 })], 'no-answer ?, named t-1'],
  ])('%s', (_fact, lines, named) => {
    expect(namedOf(lines)).toBe(named)
  })
})

describe('F13 several witnesses of one send', () => {
  const proxied = { by: 'proxy' }
  it.each<[string, readonly Line[], string]>([
    ['F13 a send told by the orchestrator and by the proxy is one send', [sent({ at: 1 }), sent({ at: 1.1, ...proxied }), answered('working', { at: 2 })], 'm-1 task t-1'],
    ['F13 the answer may be told by the second witness alone', [sent({ at: 1 }), sent({ at: 1.1, ...proxied }), answered('working', { at: 2, ...proxied })], 'm-1 task t-1'],
    ['F13 the clocks of witnesses may differ by five seconds', [sent({ at: 6 }), sent({ at: 1, ...proxied })], 'm-1 pending'],
    ['F13 by more it is a second send', [sent({ at: 6.1 }), sent({ at: 1, ...proxied })], 'm-1 pending, m-1 pending'],
    ['F13 the same message sent again by the same witness is a second send', [sent({ at: 1 }), sent({ at: 2 })], 'm-1 pending, m-1 pending'],
    ['F13 each witness tells each of two sends', [sent({ at: 1 }), sent({ at: 1.1, ...proxied }), sent({ at: 3 }), sent({ at: 3.1, ...proxied })], 'm-1 pending, m-1 pending'],
    ['F13 the same message to another worker is another send', [sent({ at: 1 }), sent({ at: 1.1, worker: 'w2', ...proxied })], 'm-1 pending, m-1 pending'],
    ['F13 the same message to another task is another send', [sent({ at: 1 }), sent({ at: 1.1, naming: 't-1', ...proxied })], 'm-1 pending, m-1 pending'],
    ['F13 without a message id nothing tells that two sends are one', [sent({ at: 1, isUnnamed: true }), sent({ at: 1.1, isUnnamed: true, ...proxied })], '? pending, ? pending'],
    ['F13 a second witness of a refusal refuses no other send', [sent({ at: 1, sentMessageId: 'm-1' }), sent({ at: 2, sentMessageId: 'm-2' }), refused({ at: 3 }), refused({ at: 3.1, ...proxied }), answered('working', { at: 4 })], 'm-1 refused, m-2 task t-1'],
    ['F13 it does so whichever witness is first', [sent({ at: 1, sentMessageId: 'm-1' }), sent({ at: 2, sentMessageId: 'm-2' }), refused({ at: 2.9, ...proxied }), refused({ at: 3 }), answered('working', { at: 4 })], 'm-1 refused, m-2 task t-1'],
    ['F13 another refusal told by another witness refuses the other send', [sent({ at: 1, sentMessageId: 'm-1' }), sent({ at: 2, sentMessageId: 'm-2' }), refused({ at: 3 }), refused({ at: 4, text: 'Too long', ...proxied })], 'm-1 refused, m-2 refused'],
    ['F13 what another worker answers is no echo of it', [sent({ at: 1, sentMessageId: 'm-1' }), sent({ at: 1.5, worker: 'w2', sentMessageId: 'm-2' }), refused({ at: 3 }), refused({ at: 3.1, worker: 'w2', ...proxied })], 'm-1 refused, m-2 refused'],
    ['F13 five seconds later it may be the same', [sent({ at: 1, sentMessageId: 'm-1' }), sent({ at: 2, sentMessageId: 'm-2' }), refused({ at: 3 }), refused({ at: 8, ...proxied })], 'm-1 refused, m-2 pending'],
    ['F13 after more than that it is another answer', [sent({ at: 1, sentMessageId: 'm-1' }), sent({ at: 2, sentMessageId: 'm-2' }), refused({ at: 3 }), refused({ at: 8.001, ...proxied })], 'm-1 refused, m-2 refused'],
    ['F13 a third witness of one refusal refuses nothing either', [sent({ at: 1, sentMessageId: 'm-1' }), sent({ at: 2, sentMessageId: 'm-2' }), refused({ at: 3 }), refused({ at: 3.1, ...proxied }), refused({ at: 3.2, by: 'gateway' })], 'm-1 refused, m-2 pending'],
    ['F13 a second refusal by the second witness is another one', [sent({ at: 1, sentMessageId: 'm-1' }), sent({ at: 2, sentMessageId: 'm-2' }), refused({ at: 3 }), refused({ at: 3.1, ...proxied }), refused({ at: 3.2, ...proxied })], 'm-1 refused, m-2 refused'],
    ['F13 two strangers to all sends tell of one answer, from before what was told already', [sent({ at: 0, sentMessageId: 'm-1' }), sent({ at: 1, sentMessageId: 'm-2' }), sent({ at: 1.5, sentMessageId: 'm-3' }), refused({ at: 30 }), refused({ at: 12, ...proxied }), refused({ at: 12.1, by: 'gateway' })], 'm-1 refused, m-2 refused, m-3 pending'],
    ['F13 of two answers near enough the earlier one was told again first', [sent({ at: 0, sentMessageId: 'm-1' }), sent({ at: 1, sentMessageId: 'm-2' }), sent({ at: 2, sentMessageId: 'm-3' }), refused({ at: 3, messageId: 'm-2' }), refused({ at: 9, messageId: 'm-1' }), refused({ at: 6, ...proxied }), refused({ at: 11, ...proxied })], 'm-1 refused, m-2 refused, m-3 pending'],
    ['F13 each of them once', [sent({ at: 0, sentMessageId: 'm-1' }), sent({ at: 1, sentMessageId: 'm-2' }), sent({ at: 2, sentMessageId: 'm-3' }), refused({ at: 3, messageId: 'm-2' }), refused({ at: 4, messageId: 'm-1' }), ...[4.5, 4.6, 4.7].map((at) => refused({ at, ...proxied }))], 'm-1 refused, m-2 refused, m-3 refused'],
    ['F13 a stranger may have told of it five seconds earlier', [sent({ at: 1, sentMessageId: 'm-1' }), sent({ at: 2, sentMessageId: 'm-2' }), refused({ at: 8 }), refused({ at: 3, ...proxied })], 'm-1 refused, m-2 pending'],
    ['F13 more than that earlier it is another answer', [sent({ at: 1, sentMessageId: 'm-1' }), sent({ at: 2, sentMessageId: 'm-2' }), refused({ at: 8 }), refused({ at: 2.999, ...proxied })], 'm-1 refused, m-2 refused'],
    ['F13 an empty answer of another worker is no echo', [sent({ at: 1, sentMessageId: 'm-1' }), sent({ at: 1.5, worker: 'w2', sentMessageId: 'm-2', ...proxied }), silent('answer'), (position) => ({ ...silent('answer')(position), workerId: 'w2', source: 'proxy' })], 'm-1 no-answer, m-2 no-answer'],
    ['F13 two witnesses of one silence', [sent({ at: 1, sentMessageId: 'm-1' }), sent({ at: 2, sentMessageId: 'm-2' }), unanswered({ at: 3 }), unanswered({ at: 3.1, ...proxied })], 'm-1 no-answer, m-2 pending'],
    ['F13 a silence for another reason is another one', [sent({ at: 1, sentMessageId: 'm-1' }), sent({ at: 2, sentMessageId: 'm-2' }), unanswered({ at: 3 }), unanswered({ at: 3.1, reason: 'reset', ...proxied })], 'm-1 no-answer, m-2 no-answer'],
    ['F13 two witnesses of one message', [sent({ at: 1, sentMessageId: 'm-1' }), sent({ at: 2, sentMessageId: 'm-2' }), messaged('done', { at: 3 }), messaged('done', { at: 3.1, ...proxied })], 'm-1 message, m-2 pending'],
    ['F13 another message is another answer', [sent({ at: 1, sentMessageId: 'm-1' }), sent({ at: 2, sentMessageId: 'm-2' }), messaged('done', { at: 3 }), messaged('done', { at: 3.1, ownMessageId: 'answer-2', ...proxied })], 'm-1 message, m-2 message'],
    ['F13 a witness of sends to another worker is none of these', [sent({ at: 1, sentMessageId: 'm-1' }), sent({ at: 1.5, worker: 'w2', sentMessageId: 'm-2', ...proxied }), answered('working', { at: 2, ...proxied }), refused({ at: 3 })], 'm-1 refused, m-2 pending'],
    ['F13 a witness of the send answers in its turn', [sent({ at: 1 }), sent({ at: 1.1, ...proxied }), refused({ at: 3, ...proxied }), answered('working', { at: 4 })], 'm-1 refused'],
    ['F13 its second witness answers it and not an older one', [sent({ at: 1, by: 'b', sentMessageId: 'm-2' }), sent({ at: 2 }), sent({ at: 2.1, ...proxied }), answered('working', { at: 3, ...proxied })], 'm-2 pending, m-1 task t-1'],
    ['F13 what names its message need not wait for who saw the send', [sent({ at: 1, sentMessageId: 'm-1' }), sent({ at: 2, sentMessageId: 'm-2' }), refused({ at: 3, messageId: 'm-1', ...proxied }), answered('working', { at: 4 })], 'm-1 refused, m-2 task t-1'],
    ['F13 reports of two tasks are two answers', [sent({ at: 1, sentMessageId: 'm-1' }), sent({ at: 2, sentMessageId: 'm-2' }), answered('working', { at: 3 }), answered('working', { at: 3.1, task: 't-2', ...proxied })], 'm-1 task t-1, m-2 task t-2'],
    ['F13 who saw the send knows better which one was answered', [sent({ at: 1, sentMessageId: 'm-1' }), sent({ at: 2, by: 'b', sentMessageId: 'm-2' }), answered('working', { at: 2.9, ...proxied }), answered('working', { at: 3, by: 'b' })], 'm-1 pending, m-2 task t-1'],
  ])('%s', (_fact, lines, outcomes) => {
    expect(outcomesOf(taskAfter(lines))).toBe(outcomes)
  })

  it('F13 what any witness of a send states holds', () => {
    const lines = [sent({ at: 1 }), sent({ at: 1.1, ...proxied, acceptedModes: ['application/json'], skill: 'write', contextId: 'c-1', redispatch: 'auto', redispatchSafety: 'safe', cancelLoser: true })]
    expect(taskAfter(lines).dispatches).toMatchObject([
      { position: 1, positions: [1, 2], acceptedModes: ['application/json'], skill: 'write', contextId: 'c-1', redispatch: 'auto', redispatchSafety: 'safe', cancelLoser: true },
    ])
  })

  it('F7 the scope of creation may be told by the second witness of the send', () => {
    const lines = [sent({ at: 1 }), sent({ at: 1.1, ...proxied, scope: 'tenant-a' }), answered('working', { at: 2 }), missed({ at: 3, scope: 'tenant-b' })]
    expect(taskAfter(lines).attempts.map(({ life, notFounds: [miss] }) => [life, miss?.isForeign])).toEqual([['live', true]])
  })
})

describe('F13 a task found later', () => {
  it.each<[string, readonly Line[], string]>([
    ['F13 a task whose history holds the message answers the send without answer', [sent(), unanswered(), found('working', { historyMessageId: 'm-1' })], 'm-1 task t-1'],
    ['F13 it is the oldest such send that it answers', [sent(), unanswered({ messageId: 'm-1' }), sent(), unanswered({ messageId: 'm-1' }), found('working', { historyMessageId: 'm-1' })], 'm-1 task t-1, m-1 no-answer'],
    ['F13 a push that holds the message is as good', [sent(), unanswered(), pushed('working', { form: 'snapshot', historyMessageId: 'm-1' })], 'm-1 task t-1'],
    ['F13 a send that is still pending is answered by it as well', [sent(), found('working', { historyMessageId: 'm-1' })], 'm-1 task t-1'],
    ['F13 a task that answers a send of another worker says nothing here', [sent({ worker: 'w2', sentMessageId: 'm-2' }), answered('working', { worker: 'w2', messageId: 'm-2' }), sent(), unanswered({ messageId: 'm-1' }), found('working', { historyMessageId: 'm-1' })], 'm-2 task t-1, m-1 task t-1'],
    ['F13 what is answered later than that keeps the task', [sent(), found('working', { historyMessageId: 'm-1' }), refused({ messageId: 'm-1' })], 'm-1 task t-1'],
    ['F13 a task without a history is found by none, also where the send has no message id', [sent({ isUnnamed: true }), unanswered(), found('working')], '? no-answer'],
    ['F13 another message in the history answers nothing', [sent(), unanswered(), found('working', { historyMessageId: 'm-9' })], 'm-1 no-answer'],
    ['F13 a task that answers another send already answers no second one', [sent(), unanswered({ messageId: 'm-1' }), sent(), answered('working', { messageId: 'm-1' }), found('working', { historyMessageId: 'm-1' })], 'm-1 no-answer, m-1 task t-1'],
    ['F13 a refused send stays refused', [sent(), refused(), found('working', { historyMessageId: 'm-1' })], 'm-1 refused'],
    ['F13 the same message at another worker is another send', [sent({ worker: 'w2' }), unanswered({ worker: 'w2' }), found('working', { historyMessageId: 'm-1' })], 'm-1 no-answer'],
  ])('%s', (_fact, lines, outcomes) => {
    expect(outcomesOf(taskAfter(lines))).toBe(outcomes)
  })
})

describe('F13 a message as the whole answer', () => {
  it('F13 completes the logical task and is an artifact under its message id', () => {
    const task = taskAfter([sent(), messaged('it rains', { ownMessageId: 'answer-7' })])
    expect([task.state, task.terminal, task.attempts.length, task.artifacts.map(({ key, canonical }) => [key, canonical.bytes, canonical.complete])]).toEqual([
      'completed',
      true,
      0,
      [['answer-7', 8, true]],
    ])
  })

  it('F13 is one artifact however many witnesses saw it', () => {
    const task = taskAfter([sent(), messaged('it rains', { messageId: 'm-1' }), messaged('it rains', { messageId: 'm-1', by: 'gateway' })])
    expect(task.artifacts.map(({ key, variants }) => [key, variants.length])).toEqual([['answer-1', 0]])
  })

  it('F13 dispatches are in order of sending, whatever the order of arrival', () => {
    const facts = [sent({ at: 9, sentMessageId: 'late' }), sent({ at: 2, sentMessageId: 'early' })].map((line, index) => line(index + 1))
    expect(deriveDispatches(facts.filter((fact) => fact.kind === 'dispatch')).map(({ messageId }) => messageId)).toEqual(['early', 'late'])
  })
})

describe('F13 everything that is concluded of one send', () => {
  it('F13 by any of its witnesses, as the first of them states it', () => {
    const lines = [
      sent({ at: 0 }),
      sent({ at: 1, by: 'gateway', contextId: 'c-1', acceptedModes: ['text/plain'], skill: 'write' }),
      answered('working', { at: 2, messageId: 'm-1' }),
    ]
    expect(taskAfter(lines).dispatches).toEqual([
      { workerId: 'w1', messageId: 'm-1', position: 1, positions: [1, 2], sources: ['orchestrator', 'gateway'], atMs: ms(0), outcome: 'task', taskId: 't-1', contextId: 'c-1', answerPosition: 3, contentDigest: 'same work', acceptedModes: ['text/plain'], skill: 'write' },
    ])
  })

  it('F13 an answer to the send itself stands before the task that was found by its history', () => {
    expect(taskAfter([sent(), found('working', { historyMessageId: 'm-1' }), answered('working', { messageId: 'm-1' })]).dispatches[0]?.answerPosition).toBe(3)
  })

  it('F13 an update of the task that a message named answers it, though the task was found by its history before', () => {
    const lines = [found('working', { at: 0 }), sent({ at: 1, naming: 't-1' }), found('working', { at: 2, historyMessageId: 'm-1' }), streamed('working', { at: 3, operation: 'SendStreamingMessage' })]
    expect(taskAfter(lines).dispatches[0]?.answerPosition).toBe(4)
  })

  it('F13 no member for what nobody stated', () => {
    expect(taskAfter([sent({ at: 0, isUnnamed: true })]).dispatches.flatMap(Object.keys)).not.toContain('namedTaskId')
    expect(taskAfter([sent({ at: 0, isUnnamed: true, naming: 't-1' })]).dispatches).toStrictEqual([
      { workerId: 'w1', position: 1, positions: [1], sources: ['orchestrator'], atMs: ms(0), outcome: 'pending', namedTaskId: 't-1', contentDigest: 'same work' },
    ])
  })
})

describe('F13 thousands of sends in one task', () => {
  const each = (count: number, lines: (index: number) => readonly Line[]) => Array.from({ length: count }, (_, index) => lines(index)).flat()
  it.each<[string, (count: number) => readonly Line[], string]>([
    ['each answered with a task', (n) => each(n, (i) => [sent({ at: i * 2, sentMessageId: `m-${i}` }), answered('working', { at: i * 2 + 1, task: `t-${i}` })]), 'task'],
    ['all answered once they all were sent', (n) => [...each(n, (i) => [sent({ at: i, sentMessageId: `m-${i}` })]), ...each(n, (i) => [answered('working', { at: n + i, task: `t-${i}` })])], 'task'],
    ['of one and the same message', (n) => each(n, (i) => [sent({ at: i * 20 }), answered('working', { at: i * 20 + 1, task: `t-${i}`, messageId: 'm-1' })]), 'task'],
    ['into one task', (n) => each(n, (i) => [sent({ at: i * 2, naming: 't-1', sentMessageId: `m-${i}` }), answered('working', { at: i * 2 + 1 })]), 'task'],
    ['none of them answered', (n) => each(n, (i) => [sent({ at: i * 2, sentMessageId: `m-${i}` }), unanswered({ at: i * 2 + 1 })]), 'no-answer'],
    ['found by their messages alone', (n) => [...each(n, (i) => [sent({ at: i, sentMessageId: `m-${i}` })]), ...each(n, (i) => [pushed('working', { at: n + i, task: `t-${i}`, form: 'snapshot', historyMessageId: `m-${i}` })])], 'task'],
  ])('%s are matched by a few looks each', (_fact, linesOf, outcome) => {
    const looksAt = (count: number): number => {
      let looks = 0
      const counted: ProxyHandler<TaskFact> = { get: (fact, name) => ((looks += 1), Reflect.get(fact, name)) }
      const facts = inputOf(linesOf(count)).facts.map((fact) => new Proxy(fact, counted))
      expect(deriveDispatches(facts).filter((dispatch) => dispatch.outcome === outcome)).toHaveLength(count)
      return looks
    }
    expect(looksAt(1_600) / looksAt(200), 'eight times as many, in how many times the looks').toBeLessThan(16)
  })
})
