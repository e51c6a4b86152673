/**
 * Small bodies written for the tests: every shape once, with what must be understood of it.
 * They are also what the mutations of the property tests start from.
 */
import type { Canonical } from '../../a2a/canonical.ts'
import type { ReadContext } from '../../a2a/reader.ts'

export interface Body {
  /** A fact about the body, as a reviewer would say it. */
  readonly fact: string
  readonly context: ReadContext
  readonly text: string
  readonly canonical: Canonical
}

const rpc = (result: string): string => `{"jsonrpc":"2.0","id":7,"result":${result}}`
const answer = (operation: string): ReadContext => ({ type: 'a2a.response', operation })

const v1Task =
  '{"id":"t-9","contextId":"c-9","status":{"state":"TASK_STATE_WORKING"},"artifacts":[{"artifactId":"a","parts":[{"text":"hi"},{"data":[1,2]},{"raw":"AAE=","mediaType":"image/png"}]}]}'
const v1TaskRead: Canonical = {
  kind: 'task',
  protocolVersion: '1.0',
  taskId: 't-9',
  contextId: 'c-9',
  state: 'working',
  stateOnWire: 'TASK_STATE_WORKING',
  mediaTypes: ['image/png'],
  mediaTypesImplied: ['text/plain', 'application/json'],
}

export const bodies: readonly Body[] = [
  {
    fact: 'a v1.0 task is read bare',
    context: answer('GetTask'),
    text: rpc(v1Task),
    canonical: v1TaskRead,
  },
  {
    fact: 'a v1.0 task is read in the member of a send answer',
    context: answer('SendMessage'),
    text: `{"task":${v1Task}}`,
    canonical: v1TaskRead,
  },
  {
    fact: 'the timeline of a v1.1 task says nothing of its state',
    context: { ...answer('GetTask'), protocolVersion: '1.1' },
    text: rpc(
      `${v1Task.slice(0, -1)},"generation":"3","timeline":[{"generation":"1","message":{"role":"ROLE_USER","messageId":"m-1","parts":[{"text":"a"}]}},{"generation":"2","status":{"state":"TASK_STATE_SUBMITTED"}},{"generation":"3","status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-11-01T10:00:00Z"}},{"elicitation":{}}]}`,
    ),
    canonical: { ...v1TaskRead, protocolVersion: '1.1' },
  },
  {
    fact: 'a v1.0 message can be the whole answer to a send',
    context: answer('SendMessage'),
    text: rpc('{"message":{"messageId":"m-1","role":"ROLE_AGENT","parts":[{"text":"done"}]}}'),
    canonical: {
      kind: 'message',
      protocolVersion: '1.0',
      messageId: 'm-1',
      mediaTypesImplied: ['text/plain'],
    },
  },
  {
    fact: 'a v1.0 status update with a final flag of v0.3 is read without it',
    context: { type: 'a2a.stream-response', operation: 'Push' },
    text: '{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_FAILED"},"final":false}}',
    canonical: {
      kind: 'status-update',
      protocolVersion: '1.0',
      taskId: 't',
      contextId: 'c',
      state: 'failed',
      stateOnWire: 'TASK_STATE_FAILED',
    },
  },
  {
    fact: 'a v1.0 artifact update carries one artifact',
    context: { type: 'a2a.stream-response' },
    text: '{"artifactUpdate":{"taskId":"t","contextId":"c","artifact":{"artifactId":"a","parts":[{"url":"https://x.test/f","mediaType":"Text/CSV; charset=utf-8"}]},"append":true,"lastChunk":true}}',
    canonical: {
      kind: 'artifact-update',
      protocolVersion: '1.0',
      taskId: 't',
      contextId: 'c',
      mediaTypes: ['text/csv'],
    },
  },
  {
    fact: 'a v0.3 task is told by its kind',
    context: { type: 'a2a.task' },
    text: '{"kind":"task","id":"t","contextId":"c","status":{"state":"input-required","timestamp":"2026-05-01T08:00:00Z"},"artifacts":[{"artifactId":"a","parts":[{"kind":"file","file":{"bytes":"AAE=","mimeType":"application/pdf","name":"r.pdf"}}]}],"final":true}',
    canonical: {
      kind: 'task',
      protocolVersion: '0.3',
      taskId: 't',
      contextId: 'c',
      state: 'input-required',
      stateOnWire: 'input-required',
      mediaTypes: ['application/pdf'],
    },
  },
  {
    fact: 'a v0.3 task over HTTP+JSON is proto-spelled and stays v0.3',
    context: {
      type: 'a2a.response',
      operation: 'SendMessage',
      binding: 'HTTP+JSON',
      httpStatus: 200,
    },
    text: '{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_CANCELLED"},"artifacts":[{"artifactId":"a","parts":[{"file":{"fileWithUri":"https://x.test/f","mimeType":"text/plain"}}]}]}}',
    canonical: {
      kind: 'task',
      protocolVersion: '0.3',
      taskId: 't',
      contextId: 'c',
      state: 'canceled',
      stateOnWire: 'TASK_STATE_CANCELLED',
      mediaTypes: ['text/plain'],
    },
  },
  {
    fact: 'the envelope says 0.2 where the structure says 0.2 or 0.3',
    context: { type: 'a2a.message', protocolVersion: '0.2.5' },
    text: '{"kind":"message","role":"agent","messageId":"m","contextId":"c","parts":[{"kind":"text","text":"x"}]}',
    canonical: {
      kind: 'message',
      protocolVersion: '0.2',
      contextId: 'c',
      messageId: 'm',
      mediaTypesImplied: ['text/plain'],
    },
  },
  {
    fact: 'a v0.1 status update names its task id and needs no context',
    context: { type: 'a2a.response', operation: 'SendStreamingMessage' },
    text: rpc(
      '{"id":"t","status":{"state":"working","message":{"role":"agent","parts":[{"type":"text","text":"on it"}]}},"final":false}',
    ),
    canonical: {
      kind: 'status-update',
      protocolVersion: '0.1',
      taskId: 't',
      state: 'working',
      stateOnWire: 'working',
    },
  },
  {
    fact: 'a v0.1 artifact update has an index for an id',
    context: { type: 'a2a.artifact-update' },
    text: '{"id":"t","artifact":{"index":2,"append":true,"parts":[{"type":"data","data":{"n":1}}]}}',
    canonical: {
      kind: 'artifact-update',
      protocolVersion: '0.1',
      taskId: 't',
      mediaTypesImplied: ['application/json'],
    },
  },
  {
    fact: 'a v0.1 session is the context',
    context: { type: 'a2a.task' },
    text: '{"id":"t","sessionId":"s-1","status":{"state":"completed"}}',
    canonical: {
      kind: 'task',
      protocolVersion: '0.1',
      taskId: 't',
      contextId: 's-1',
      state: 'completed',
      stateOnWire: 'completed',
    },
  },
  {
    fact: 'members in snake case and a numeric id are accepted and noted',
    context: { type: 'a2a.stream-response' },
    text: '{"status_update":{"task_id":41,"context_id":"c","status":{"state":6}}}',
    canonical: {
      kind: 'status-update',
      protocolVersion: '1.0',
      taskId: '41',
      contextId: 'c',
      state: 'input-required',
      stateOnWire: '6',
      notes: ['wire_alias_used'],
    },
  },
  {
    fact: 'an update without a context is noted, an empty one too',
    context: { type: 'a2a.status-update', operation: 'SubscribeToTask' },
    text: '{"kind":"status-update","taskId":"t","contextId":"","status":{"state":"working"}}',
    canonical: {
      kind: 'status-update',
      protocolVersion: '0.3',
      taskId: 't',
      state: 'working',
      stateOnWire: 'working',
      notes: ['context_missing'],
    },
  },
  {
    fact: 'an update that names no task takes the one the call was about',
    context: { type: 'a2a.status-update', operation: 'SubscribeToTask', taskId: 't-asked' },
    text: '{"kind":"status-update","contextId":"c","status":{"state":"working"}}',
    canonical: {
      kind: 'status-update',
      protocolVersion: '0.3',
      taskId: 't-asked',
      contextId: 'c',
      state: 'working',
      stateOnWire: 'working',
    },
  },
  {
    fact: 'an update that names no task anywhere says so',
    context: { type: 'a2a.status-update' },
    text: '{"kind":"status-update","contextId":"c","status":{"state":"working"}}',
    canonical: {
      kind: 'status-update',
      protocolVersion: '0.3',
      contextId: 'c',
      state: 'working',
      stateOnWire: 'working',
      notes: ['task_id_missing'],
    },
  },
  {
    fact: 'an answer about another task than was asked for says so',
    context: { ...answer('GetTask'), taskId: 't-asked' },
    text: rpc('{"kind":"task","id":"t","contextId":"c","status":{"state":"working"}}'),
    canonical: {
      kind: 'task',
      protocolVersion: '0.3',
      taskId: 't',
      contextId: 'c',
      state: 'working',
      stateOnWire: 'working',
      notes: ['task_id_mismatch'],
    },
  },
  {
    fact: 'a status message of another task is two ids in one answer',
    context: answer('GetTask'),
    text: rpc(
      '{"kind":"task","id":"t","contextId":"c","status":{"state":"working","message":{"kind":"message","role":"agent","messageId":"m","taskId":"t-2","parts":[]}}}',
    ),
    canonical: {
      kind: 'task',
      protocolVersion: '0.3',
      taskId: 't',
      contextId: 'c',
      state: 'working',
      stateOnWire: 'working',
      notes: ['task_id_changed'],
    },
  },
  {
    fact: 'a state of the future is kept as it stood and flagged',
    context: { type: 'a2a.task' },
    text: '{"kind":"task","id":"t","contextId":"c","status":{"state":"paused-for-lunch"}}',
    canonical: {
      kind: 'task',
      protocolVersion: '0.3',
      taskId: 't',
      contextId: 'c',
      state: 'unknown',
      stateOnWire: 'paused-for-lunch',
      notes: ['state_unknown'],
    },
  },
  {
    fact: 'a status that is a bare word is its state',
    context: answer('GetTask'),
    text: '{"id":"t","contextId":"c","status":"Completed"}',
    canonical: {
      kind: 'task',
      taskId: 't',
      contextId: 'c',
      state: 'completed',
      stateOnWire: 'Completed',
      notes: ['wire_alias_used'],
    },
  },
  {
    fact: 'a number that a double cannot hold is noted, and a repeated artifact id',
    context: { type: 'a2a.task' },
    text: '{"kind":"task","id":"t","contextId":"c","status":{"state":"working"},"artifacts":[{"artifactId":"a","parts":[{"kind":"data","data":9007199254740993}]},{"artifactId":"a","parts":[]}]}',
    canonical: {
      kind: 'task',
      protocolVersion: '0.3',
      taskId: 't',
      contextId: 'c',
      state: 'working',
      stateOnWire: 'working',
      mediaTypesImplied: ['application/json'],
      notes: ['artifact_id_repeated', 'number_precision'],
    },
  },
  {
    fact: 'a null result says nothing',
    context: answer('GetTask'),
    text: rpc('null'),
    canonical: { kind: 'nothing', notes: ['result_missing'] },
  },
  {
    fact: 'an empty result says nothing',
    context: answer('GetTask'),
    text: rpc('{}'),
    canonical: { kind: 'nothing', notes: ['result_missing'] },
  },
  {
    fact: 'an answer and its result are what the objects of an SDK hold',
    context: answer('GetTask'),
    text: `{"root":${rpc(`{"root":${v1Task}}`)}}`,
    canonical: v1TaskRead,
  },
  {
    fact: 'a member of that name beside others is none of ours',
    context: answer('GetTask'),
    text: v1Task.replace('{', '{"root":{"id":"t-1"},'),
    canonical: v1TaskRead,
  },
  {
    fact: 'a mark of the byte order before the body says nothing',
    context: answer('GetTask'),
    text: `\uFEFF${rpc(v1Task)}`,
    canonical: v1TaskRead,
  },
  {
    fact: 'a state that gRPC has a code of the same name for is one where there is a task',
    context: { ...answer('GetTask'), binding: 'GRPC' },
    text: '{"id":"t","contextId":"c","status":"CANCELLED","details":"said"}',
    canonical: { kind: 'task', taskId: 't', contextId: 'c', state: 'canceled', stateOnWire: 'CANCELLED', notes: ['wire_alias_used'] },
  },
  {
    fact: 'an empty result in a frame says nothing',
    context: { type: 'a2a.stream-response', operation: 'SendStreamingMessage' },
    text: rpc('{}'),
    canonical: { kind: 'nothing', notes: ['result_missing'] },
  },
  {
    fact: 'a null result beside an error is the error',
    context: answer('GetTask'),
    text: '{"jsonrpc":"2.0","id":7,"result":null,"error":{"code":-32001,"message":"Task not found"}}',
    canonical: {
      kind: 'error',
      error: { name: 'TaskNotFound', codeSpace: 'jsonrpc', code: -32001, evidence: 'strong' },
    },
  },
  {
    fact: 'an answer without content is none where the operation has no result',
    context: { ...answer('DeleteTaskPushNotificationConfig'), httpStatus: 204 },
    text: '',
    canonical: { kind: 'nothing' },
  },
  {
    fact: 'ListTasks answers many tasks',
    context: answer('ListTasks'),
    text: '{"tasks":[{"id":"t-1","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}},{"id":"t-2","contextId":"c","status":{"state":"TASK_STATE_WORKING"}},"x"],"nextPageToken":"","pageSize":50,"totalSize":2}',
    canonical: {
      kind: 'task-list',
      protocolVersion: '1.0',
      tasks: [{ taskId: 't-1', state: 'completed' }, { taskId: 't-2', state: 'working' }, {}],
    },
  },
  {
    fact: 'an empty list says nothing about any task',
    context: answer('ListTasks'),
    text: '{"tasks":[],"nextPageToken":""}',
    canonical: { kind: 'nothing' },
  },
  {
    fact: 'a JSON-RPC batch is an answer about many tasks',
    context: { ...answer('GetTask'), taskId: 't-3' },
    text: `[${rpc('{"kind":"task","id":"t-1","contextId":"c","status":{"state":"working"}}')},{"jsonrpc":"2.0","id":8,"error":{"code":-32001,"message":"gone","data":[{"metadata":{"taskId":"t-2"}}]}}]`,
    canonical: {
      kind: 'task-list',
      protocolVersion: '0.3',
      tasks: [{ taskId: 't-1', state: 'working' }, { taskId: 't-2' }],
    },
  },
  {
    fact: 'the body of an event stream is its events',
    context: answer('SendStreamingMessage'),
    text: ': hello\n\ndata: {"task":{"id":"t-1","contextId":"c","status":{"state":"TASK_STATE_SUBMITTED"}}}\n\nevent: message\ndata: {"statusUpdate":{"taskId":"t-1",\ndata: "contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}\n\n',
    canonical: {
      kind: 'task-list',
      protocolVersion: '1.0',
      tasks: [{ taskId: 't-1', state: 'submitted' }, { taskId: 't-1', state: 'working' }],
    },
  },
  {
    fact: 'the body of a v0.3 event stream in a JSON string, with an error at its end',
    context: answer('SendStreamingMessage'),
    text: JSON.stringify(
      `data: ${rpc('{"kind":"status-update","taskId":"t-1","contextId":"c","status":{"state":"working"},"final":false}')}\r\n\r\ndata: {"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"broke"}}`,
    ),
    canonical: { kind: 'task-list', protocolVersion: '0.3', tasks: [{ taskId: 't-1', state: 'working' }, {}] },
  },
  {
    fact: 'a push configuration says nothing about its task',
    context: answer('CreateTaskPushNotificationConfig'),
    text: rpc('{"taskId":"t","id":"p","url":"https://x.test/hook","token":"s3cret"}'),
    canonical: { kind: 'nothing', notes: ['credentials_redacted'] },
  },
  {
    fact: 'a v1.0 dispatch names message, context and modes',
    context: { type: 'a2a.dispatch', operation: 'SendMessage' },
    text: '{"message":{"messageId":"m","role":"ROLE_USER","contextId":"c","parts":[{"text":"go"}],"metadata":{"urn:a2a-ledger:task-continuity:v1":{"correlationId":"order-1","skill":"s"}}},"configuration":{"acceptedOutputModes":["text/*"]}}',
    canonical: { kind: 'dispatch', protocolVersion: '1.0', contextId: 'c', messageId: 'm' },
  },
  {
    fact: 'a v0.3 dispatch is read inside its JSON-RPC request',
    context: { type: 'a2a.dispatch' },
    text: '{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"kind":"message","messageId":"m","role":"user","taskId":"t","parts":[{"kind":"text","text":"go"}]},"configuration":{"pushNotificationConfig":{"url":"https://x.test/hook","token":"s3cret"}}}}',
    canonical: {
      kind: 'dispatch',
      protocolVersion: '0.3',
      taskId: 't',
      messageId: 'm',
      notes: ['credentials_redacted'],
    },
  },
  {
    fact: 'a v0.1 dispatch names task and session beside the message',
    context: { type: 'a2a.dispatch' },
    text: '{"jsonrpc":"2.0","id":1,"method":"tasks/send","params":{"id":"t","sessionId":"s","acceptedOutputModes":["text"],"message":{"role":"user","parts":[{"type":"text","text":"go"}]}}}',
    canonical: { kind: 'dispatch', protocolVersion: '0.1', taskId: 't', contextId: 's' },
  },
  {
    fact: 'an HTML page with a bad status is the error of a proxy',
    context: { ...answer('GetTask'), httpStatus: 502 },
    text: '<html><body>Bad Gateway</body></html>',
    canonical: {
      kind: 'error',
      error: { name: 'Unavailable', codeSpace: 'http', code: 502, evidence: 'none' },
    },
  },
  {
    fact: 'an empty card says what every version requires of it',
    context: { type: 'a2a.agent-card' },
    text: '{}',
    canonical: { kind: 'agent-card', missing: ['name', 'version', 'capabilities', 'skills'] },
  },
  {
    fact: 'an error where a card was asked for is no card',
    context: { type: 'a2a.agent-card', operation: 'GetExtendedAgentCard' },
    text: '{"jsonrpc":"2.0","id":7,"error":{"code":-32007,"message":"none is configured"}}',
    canonical: { kind: 'error', error: { name: 'ExtendedAgentCardNotConfigured', codeSpace: 'jsonrpc', code: -32007, evidence: 'none' } },
  },
  {
    fact: 'a call that got no answer says why',
    context: { type: 'a2a.no-answer', operation: 'SendMessage' },
    text: '{"reason":"timeout","afterMs":30000}',
    canonical: { kind: 'no-answer' },
  },
  {
    fact: 'a stream that ended says how',
    context: { type: 'a2a.stream-ended' },
    text: '{"reason":"closed"}',
    canonical: { kind: 'stream-ended' },
  },
  {
    fact: 'a restart needs no data',
    context: { type: 'a2a.worker-restarted' },
    text: '',
    canonical: { kind: 'restart' },
  },
  {
    fact: 'a conclusion shows its state in one spelling',
    context: { type: 'orchestrator.conclusion' },
    text: '{"state":"TASK_STATE_FAILED","because":"not found"}',
    canonical: { kind: 'conclusion', state: 'failed' },
  },
  {
    fact: 'an event of our own says nothing in the words of A2A',
    context: { type: 'reconciler.verdict' },
    text: '{"kind":"resume"}',
    canonical: { kind: 'nothing' },
  },
]
