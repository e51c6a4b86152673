import { describe, expect, test } from 'vitest'
import { readPayload, type ReadContext } from '../read.ts'
import type { ErrorReading, Reading } from '../reading.ts'

const read = (
  context: Partial<ReadContext>,
  body: string,
): Reading & { readonly error: ErrorReading } => {
  const result = readPayload({ type: 'a2a.response', ...context }, body)
  if (result.outcome !== 'read' || result.reading.kind !== 'error')
    throw new Error(JSON.stringify(result))
  return result.reading
}

const show = ({ name, codeSpace, code, evidence }: ErrorReading): string =>
  [name, codeSpace, code ?? '-', evidence].join(' ')

const get = { operation: 'GetTask', taskId: 't' } as const
const rest = (httpStatus: number) => ({ ...get, binding: 'HTTP+JSON', httpStatus }) as const
const rpc = (code: number, message = 'no', data = ''): string =>
  `{"jsonrpc":"2.0","id":1,"error":{"code":${code},"message":"${message}"${data}}}`
const info = (reason: string): string =>
  `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"${reason}","domain":"a2a-protocol.org"}`
const status = (code: number, name: string, reason?: string): string =>
  `{"error":{"code":${code},"status":"${name}","message":"no"${reason === undefined ? '' : `,"details":[${info(reason)}]`}}}`

describe('F6: shape → name, code space, code, evidence', () => {
  test.each<[string, Partial<ReadContext>, string, string]>([
    ['JSON-RPC -32001', get, rpc(-32001), 'TaskNotFound jsonrpc -32001 strong'],
    [
      'JSON-RPC -32001 under HTTP 500',
      { ...get, httpStatus: 500 },
      rpc(-32001),
      'TaskNotFound jsonrpc -32001 strong',
    ],
    [
      'a code that is a string',
      get,
      '{"jsonrpc":"2.0","error":{"code":"-32001","message":"gone"}}',
      'TaskNotFound jsonrpc -32001 strong',
    ],
    [
      '404 with reason TASK_NOT_FOUND',
      rest(404),
      status(404, 'NOT_FOUND', 'TASK_NOT_FOUND'),
      'TaskNotFound http 404 strong',
    ],
    [
      '404 of a task-not-found problem',
      rest(404),
      '{"type":"https://a2a-protocol.org/errors/task-not-found","title":"gone","status":404}',
      'TaskNotFound http 404 strong',
    ],
    [
      '404 with the error name',
      rest(404),
      '{"error":"TaskNotFoundError","message":"gone"}',
      'TaskNotFound http 404 strong',
    ],
    [
      '404 with a Java class',
      rest(404),
      '{"error":"io.a2a.spec.TaskNotFoundError","message":"gone"}',
      'TaskNotFound http 404 strong',
    ],
    [
      '404 with a v0.3 code',
      rest(404),
      '{"code":-32001,"message":"gone"}',
      'TaskNotFound jsonrpc -32001 strong',
    ],
    [
      'gRPC 5',
      { ...get, binding: 'GRPC' },
      '{"code":5,"message":"gone"}',
      'TaskNotFound grpc 5 strong',
    ],
    [
      'gRPC by name',
      { ...get, binding: 'GRPC' },
      '{"code":"NOT_FOUND","details":"gone"}',
      'TaskNotFound grpc 5 strong',
    ],
    [
      'gRPC without a binding',
      get,
      '{"code":5,"details":"gone","metadata":{}}',
      'TaskNotFound grpc 5 strong',
    ],
    [
      'gRPC 5 for another reason',
      { ...get, binding: 'GRPC' },
      `{"code":5,"message":"no","details":[${info('ROUTE_GONE')}]}`,
      'RouteNotFound grpc 5 weak',
    ],
    ['a bare 404', rest(404), '{"detail":"Not Found"}', 'RouteNotFound http 404 weak'],
    [
      '404 with only a human text',
      rest(404),
      '{"message":"Task not found"}',
      'RouteNotFound http 404 weak',
    ],
    [
      '404 with a status name and a human text',
      rest(404),
      '{"error":{"status":"NOT_FOUND","message":"Task not found"}}',
      'RouteNotFound http 404 weak',
    ],
    [
      '404 of HTML',
      rest(404),
      '<!DOCTYPE html><html><pre>Cannot GET /</pre></html>',
      'RouteNotFound http 404 weak',
    ],
    ['404 of nothing', rest(404), '', 'RouteNotFound http 404 weak'],
    [
      '-32001 whose text says timeout',
      get,
      rpc(-32001, 'MCP error -32001: Request timed out'),
      'Timeout jsonrpc -32001 weak',
    ],
    [
      '-32001 whose text says unavailable',
      get,
      rpc(-32001, 'Service temporarily unavailable'),
      'Unavailable jsonrpc -32001 weak',
    ],
    [
      '-32001 whose text says unauthorized',
      get,
      rpc(-32001, 'Unauthorized'),
      'Unauthenticated jsonrpc -32001 weak',
    ],
    [
      '-32001 whose text says forbidden',
      get,
      rpc(-32001, 'Access denied'),
      'PermissionDenied jsonrpc -32001 weak',
    ],
    [
      '-32001 whose text says internal error',
      get,
      rpc(-32001, 'Internal error'),
      'Internal jsonrpc -32001 weak',
    ],
    [
      '-32001 that leaves open which of two it is',
      get,
      rpc(-32001, 'Task not found or access denied'),
      'TaskNotFound jsonrpc -32001 strong',
    ],
    [
      'gRPC NOT_FOUND whose text says timeout',
      { ...get, binding: 'GRPC' },
      '{"code":5,"message":"context deadline exceeded"}',
      'Timeout grpc 5 weak',
    ],
    [
      '-32001 that speaks of a timeout and of not found',
      get,
      rpc(-32001, 'Task timeout-7 not found'),
      'TaskNotFound jsonrpc -32001 strong',
    ],
    [
      '-32001 with another reason',
      get,
      rpc(-32001, 'no', `,"data":[${info('UNSUPPORTED_OPERATION')}]`),
      'TaskNotFound jsonrpc -32001 weak',
    ],
    ['401', rest(401), status(401, 'UNAUTHENTICATED'), 'Unauthenticated http 401 none'],
    ['403', rest(403), status(403, 'PERMISSION_DENIED'), 'PermissionDenied http 403 none'],
    [
      '405',
      rest(405),
      '{"status":405,"error":"Method Not Allowed"}',
      'RouteNotFound http 405 none',
    ],
    [
      '500 that names the type without JSON-RPC',
      rest(500),
      status(500, 'INTERNAL', 'TASK_NOT_FOUND'),
      'TaskNotFound http 500 none',
    ],
    [
      '500 with a v0.3 code',
      rest(500),
      '{"code":-32001,"message":"gone"}',
      'TaskNotFound jsonrpc -32001 none',
    ],
    ...[404, 500, 503].map((httpStatus): [string, Partial<ReadContext>, string, string] => [`an error object of A2A under ${httpStatus}, over nobody knows what`, { ...get, type: 'a2a.error', httpStatus }, '{"code":-32001,"message":"gone"}', 'TaskNotFound jsonrpc -32001 strong']),
    ['a whole answer without JSON-RPC under 500, over nobody knows what', { ...get, httpStatus: 500 }, '{"code":-32001,"message":"gone"}', 'TaskNotFound jsonrpc -32001 none'],
    ['an error that a Python object holds', { ...get, type: 'a2a.error' }, `{"root":${rpc(-32001)}}`, 'TaskNotFound jsonrpc -32001 strong'],
    ['an error object under 500 over HTTP+JSON', { ...rest(500), type: 'a2a.error' }, '{"code":-32001,"message":"gone"}', 'TaskNotFound jsonrpc -32001 none'],
    ['a code that is written as a double', get, rpc(-32001).replace('-32001', '-32001.0'), 'TaskNotFound jsonrpc -32001 strong'],
    ['a code that is no integer', get, rpc(-32001).replace('-32001', '-32001.5'), 'Server http - none'],
    ...[
      ['a word for a code', '{"code":"TASK_NOT_FOUND","message":"gone"}'],
      ['a word for a code in the error', '{"error":{"code":"TaskNotFound","message":"gone"}}'],
      ['a word for a status', '{"error":{"code":404,"status":"TASK_NOT_FOUND"}}'],
      ['a reason in the error', '{"error":{"reason":"TASK_NOT_FOUND","message":"gone"}}'],
      ['a reason beside a problem', '{"type":"about:blank","title":"Not Found","status":404,"reason":"task-not-found"}'],
      ['an error code', '{"errorCode":"TASK_NOT_FOUND"}'],
      ['an error type', '{"errorType":"TaskNotFoundError"}'],
    ].map(([shape, body = '']): [string, Partial<ReadContext>, string, string] => [`404 that names the type: ${shape}`, rest(404), body, 'TaskNotFound http 404 strong']),
    ['404 with a v0.3 code, as web frameworks wrap it', rest(404), '{"detail":{"code":-32001,"message":"gone"}}', 'TaskNotFound jsonrpc -32001 strong'],
    ["a word that is not A2A's own names no error", rest(502), '{"code":"INTERNAL","message":"no"}', 'Unavailable http 502 none'],
    ...['not_found', 'NotFound', 'not-found', 'StatusCode.NOT_FOUND'].map((code): [string, Partial<ReadContext>, string, string] => [`gRPC as ${code}`, { ...get, binding: 'GRPC' }, JSON.stringify({ code, message: 'gone' }), 'TaskNotFound grpc 5 strong']),
    ['gRPC as Canceled', { ...get, binding: 'GRPC' }, '{"code":"Canceled","message":"no"}', 'Server grpc 1 none'],
    ['gRPC as Connect writes it, under its 404', rest(404), '{"code":"not_found","message":"gone"}', 'RouteNotFound http 404 weak'],
    ['gRPC without a binding, in small letters', get, '{"code":"not_found","message":"gone"}', 'TaskNotFound grpc 5 strong'],
    ['a gRPC status without a code', { ...get, binding: 'GRPC' }, '{"status":"NOT_FOUND","message":"gone"}', 'TaskNotFound grpc 5 strong'],
    ['a gRPC status that an exception holds', { ...get, binding: 'GRPC' }, '{"status":{"code":"NOT_FOUND","description":"gone"}}', 'TaskNotFound grpc 5 strong'],
    ['the same over nobody knows what', get, '{"status":{"code":14,"description":"no connection"}}', 'Unavailable grpc 14 none'],
    ['the number of a gRPC status', { ...get, binding: 'GRPC' }, '{"status":5,"details":"gone"}', 'TaskNotFound grpc 5 strong'],
    ...['connect ECONNREFUSED 127.0.0.1:80', 'connection reset by peer', 'socket hang up', 'This operation was aborted'].map((said): [string, Partial<ReadContext>, string, string] => [`-32001 that says ${said}`, get, rpc(-32001, said), 'Unavailable jsonrpc -32001 weak']),
    ...['Session not found', 'Agent weather not found', 'No such session', 'Push notification config not found'].map((said): [string, Partial<ReadContext>, string, string] => [`-32001 that says ${said}`, get, rpc(-32001, said), 'Server jsonrpc -32001 weak']),
    ['-32001 of a task and its session', get, rpc(-32001, 'Task not found in session s-1'), 'TaskNotFound jsonrpc -32001 strong'],
    ['-32001 of a job of the worker', get, rpc(-32001, 'Job not found'), 'TaskNotFound jsonrpc -32001 strong'],
    ['-32001 of a task that was aborted', get, rpc(-32001, 'Task not found: it was aborted'), 'TaskNotFound jsonrpc -32001 strong'],
    ['504', rest(504), 'upstream timed out', 'Timeout http 504 none'],
    ['-32603', get, rpc(-32603), 'Internal jsonrpc -32603 none'],
    [
      '-32603 with a reason',
      get,
      rpc(-32603, 'no', `,"data":[${info('TASK_NOT_FOUND')}]`),
      'Internal jsonrpc -32603 none',
    ],
    [
      "a JSON-RPC code of gRPC's number",
      { ...get, binding: 'JSONRPC' },
      '{"error":{"code":5,"message":"no"}}',
      'Server jsonrpc 5 none',
    ],
    ['a code nobody defined', get, rpc(-32060), 'Server jsonrpc -32060 none'],
    [
      'gRPC UNIMPLEMENTED',
      { ...get, binding: 'GRPC' },
      '{"code":12,"details":"unknown service"}',
      'MethodNotFound grpc 12 none',
    ],
    ['a redirect', rest(307), '', 'RouteNotFound http 307 none'],
    ['a redirect that is told as an error', { ...rest(307), type: 'a2a.error' }, '', 'RouteNotFound http 307 none'],
    [
      '409 with a reason',
      rest(409),
      status(409, 'ABORTED', 'TASK_NOT_CANCELABLE'),
      'TaskNotCancelable http 409 none',
    ],
    [
      '400 with a v1.0 reason',
      rest(400),
      status(400, 'FAILED_PRECONDITION', 'VERSION_NOT_SUPPORTED'),
      'VersionNotSupported http 400 none',
    ],
    ['415', rest(415), '{}', 'ContentTypeNotSupported http 415 none'],
    [
      'an error with a good status',
      rest(200),
      status(404, 'NOT_FOUND', 'TASK_NOT_FOUND'),
      'TaskNotFound http 404 strong',
    ],
    ['an unnamed status', rest(418), '{}', 'Server http 418 none'],
  ])('%s: %#', (_fact, context, body, expected) => {
    expect(show(read(context, body).error)).toBe(expected)
  })
})

describe('F6: operation → evidence of a named not-found', () => {
  test.each([
    ['GetTask', 't', 'strong'],
    ['GetTask', undefined, 'strong'],
    ['SendMessage', 't', 'strong'],
    ['SendMessage', undefined, 'none'],
    ['SendStreamingMessage', 't', 'strong'],
    ['SendStreamingMessage', undefined, 'none'],
    ['SubscribeToTask', 't', 'weak'],
    ['CancelTask', 't', 'weak'],
    ['ListTasks', 't', 'none'],
    ['GetAgentCard', undefined, 'none'],
    ['GetTaskPushNotificationConfig', 't', 'none'],
    ['Push', 't', 'none'],
    ['tasks/get', 't', 'strong'],
    [undefined, 't', 'weak'],
    [undefined, undefined, 'none'],
  ])('%s about %s: %s', (operation, taskId, evidence) => {
    const context = {
      ...(operation === undefined ? {} : { operation }),
      ...(taskId === undefined ? {} : { taskId }),
    }
    expect(read(context, rpc(-32001)).error.evidence).toBe(evidence)
  })

  test.each([
    ['named', rpc(-32001), 'named'],
    ['bare', '{"detail":"Not Found"}', 'bare'],
    ['contradicted', rpc(-32001, 'timed out'), 'contradicted'],
    ['another error', rpc(-32602), undefined],
    ['a 5xx of no JSON-RPC', '{"error":{"code":500,"details":[{"reason":"TASK_NOT_FOUND"}]}}', undefined],
  ])('how it is told does not depend on what was asked: %s', (_fact, body, notFound) => {
    for (const operation of ['GetTask', 'SendMessage', 'GetAgentCard'])
      expect(read({ operation, httpStatus: body.includes('500') ? 500 : 404 }, body).error.notFound).toBe(notFound)
  })

  test('a body that names the task is about it', () => {
    const body = rpc(-32001, 'gone', ',"data":[{"metadata":{"taskId":"t-7"}}]')
    expect(read({ operation: 'SendMessage' }, body)).toMatchObject({
      taskId: 't-7',
      error: { evidence: 'strong' },
    })
  })

  test.each([
    ['GetTask', 'weak'],
    ['SubscribeToTask', 'weak'],
    ['GetAgentCard', 'none'],
  ])('a bare 404 to %s: %s', (operation, evidence) => {
    expect(read({ operation, taskId: 't', httpStatus: 404 }, '').error.evidence).toBe(evidence)
  })
})

describe('what an error says beside its name', () => {
  test.each([
    [
      '-32602 with the text',
      rpc(-32602, 'Task t is in terminal state: TaskState.completed'),
      'TaskAlreadyTerminal',
      true,
    ],
    [
      '-32004 with the text',
      rpc(-32004, 'Task t is in a terminal state (3) and cannot be modified.'),
      'TaskAlreadyTerminal',
      true,
    ],
    [
      '-32004 without it',
      rpc(-32004, 'This operation is not supported'),
      'UnsupportedOperation',
      false,
    ],
    ['-32600 with other words', rpc(-32600, 'Task t has already been cancelled'), 'TaskAlreadyTerminal', true],
    ['-32602 about its own message', rpc(-32602, 'Message m was already completed'), 'InvalidParams', false],
    ['-32002', rpc(-32002), 'TaskNotCancelable', true],
    ['another code with the text', rpc(-32060, 'task is in terminal state'), 'Server', true],
    [
      'not found with the text',
      rpc(-32001, 'not found or in terminal state'),
      'TaskNotFound',
      false,
    ],
  ])('%s claims an end: %#', (_fact, body, name, saysTerminal) => {
    expect(read(get, body).error).toMatchObject({ name, saysTerminal })
  })

  test.each([
    ['502', rest(502), 'Bad Gateway', true],
    ['HTML', rest(404), '<html></html>', true],
    ['HTML without a status', { type: 'a2a.response', operation: 'GetTask' }, '<html></html>', true],
    ['HTML as the string of a structured event', rest(502), '"<html><body>502 Bad Gateway</body></html>"', true],
    [
      'a wrapped upstream answer',
      get,
      rpc(-32603, 'Failed to process response: HTTP error 500'),
      true,
    ],
    ['503 with a JSON-RPC body', { ...get, httpStatus: 503 }, rpc(-32603, 'busy'), false],
    [
      '502 that names an A2A error',
      rest(502),
      status(502, 'INTERNAL', 'INVALID_AGENT_RESPONSE'),
      false,
    ],
    ['500 of the worker', rest(500), '{"error":"boom"}', false],
  ])('a proxy answered: %s %#', (_fact, context, body, isFromGateway) => {
    expect(read(context, body).error.isFromGateway).toBe(isFromGateway)
  })

  test('a conflict of code and text is noted, and so is one of code and reason', () => {
    expect(read(get, rpc(-32001, 'task timed out')).notes).toEqual(['error_code_conflict'])
    expect(read(get, rpc(-32001, 'no', `,"data":[${info('INTERNAL')}]`)).notes).toEqual([
      'error_code_conflict',
    ])
    expect(read(get, rpc(-32060, 'task timed out')).notes).toEqual([])
  })

  test.each<[string, Partial<ReadContext>, string, boolean]>([
    ['a whole one', get, rpc(-32001), true],
    ['its error object', { ...get, type: 'a2a.error' }, '{"code":-32603,"message":"no"}', true],
    ['its error object under a status', { ...get, type: 'a2a.error', httpStatus: 500 }, '{"code":-32602,"message":"no"}', true],
    ['what says no more than its status', { ...get, type: 'a2a.error', httpStatus: 503 }, '{"code":-32603,"message":"no"}', false],
    ["a code of the server's own under a status", { ...get, type: 'a2a.error', httpStatus: 500 }, '{"code":-32060,"message":"no"}', false],
    ['a number of HTTP', { ...get, type: 'a2a.error' }, '{"code":404,"message":"no"}', false],
    ['a v0.3 body over HTTP+JSON', rest(404), '{"code":-32001,"message":"gone"}', false],
  ])('only a JSON-RPC body is one: %s', (_fact, context, body, isJsonRpc) => {
    expect(read(context, body).error.isJsonRpc).toBe(isJsonRpc)
  })

  test('a timeout is heard in the text and in the code', () => {
    expect(read(get, rpc(-32060, 'execution timed out')).error.saysTimeout).toBe(true)
    expect(read({ ...get, binding: 'GRPC' }, '{"code":4,"message":"no"}').error.saysTimeout).toBe(
      true,
    )
    expect(read(get, rpc(-32603, 'no')).error.saysTimeout).toBe(false)
  })
})
