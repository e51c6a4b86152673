import { describe, expect, test } from 'vitest'
import { readCall } from './call.ts'

const rpc = (method: string, params: unknown): string => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
const message = { role: 'ROLE_USER', messageId: 'm-1', parts: [{ text: 'hello' }] }

describe('a JSON-RPC call', () => {
  const calls: readonly (readonly [fact: string, body: string, operation: string, named: object])[] = [
    ['a v1.0 send', rpc('SendMessage', { message }), 'SendMessage', { messageId: 'm-1' }],
    ['a v1.0 send into a task', rpc('SendMessage', { message: { ...message, taskId: 't-1' } }), 'SendMessage', { messageId: 'm-1', taskId: 't-1' }],
    ['a v1.0 stream', rpc('SendStreamingMessage', { message }), 'SendStreamingMessage', { messageId: 'm-1' }],
    ['a v0.3 send', rpc('message/send', { message: { ...message, role: 'user', kind: 'message' } }), 'SendMessage', { messageId: 'm-1' }],
    ['a v0.3 stream', rpc('message/stream', { message }), 'SendStreamingMessage', { messageId: 'm-1' }],
    ['a v0.1 send, which names its task beside the message', rpc('tasks/send', { id: 't-1', message: { role: 'user', parts: [{ type: 'text', text: 'x' }] } }), 'SendMessage', { taskId: 't-1' }],
    ['a send that cannot be read', rpc('SendMessage', {}), 'SendMessage', {}],
    ['a v1.0 question', rpc('GetTask', { id: 't-1' }), 'GetTask', { taskId: 't-1' }],
    ['a v0.3 question', rpc('tasks/get', { id: 't-1', historyLength: 1 }), 'GetTask', { taskId: 't-1' }],
    ['a numeric id', rpc('tasks/get', { id: 7 }), 'GetTask', { taskId: '7' }],
    ['a resource name', rpc('GetTask', { name: 'tasks/t-1' }), 'GetTask', { taskId: 't-1' }],
    ['a cancel', rpc('tasks/cancel', { id: 't-1' }), 'CancelTask', { taskId: 't-1' }],
    ['a subscription', rpc('tasks/resubscribe', { id: 't-1' }), 'SubscribeToTask', { taskId: 't-1' }],
    ['a list', rpc('ListTasks', {}), 'ListTasks', {}],
    ['a tenant', rpc('GetTask', { id: 't-1', tenant: 'acme' }), 'GetTask', { taskId: 't-1', tenant: 'acme' }],
    ['a v1.0 push configuration, whose own id is another', rpc('GetTaskPushNotificationConfig', { taskId: 't-1', id: 'c-1' }), 'GetTaskPushNotificationConfig', { taskId: 't-1' }],
    ['a v0.3 push configuration', rpc('tasks/pushNotificationConfig/set', { taskId: 't-1', pushNotificationConfig: { url: 'https://x' } }), 'tasks/pushNotificationConfig/set', { taskId: 't-1' }],
    ['a method that A2A does not have', rpc('tools/list', {}), 'tools/list', {}],
    ['an id no task can have', rpc('GetTask', { id: 'a\u0000b' }), 'GetTask', {}],
    ['no parameters', '{"jsonrpc":"2.0","id":1,"method":"agent/getAuthenticatedExtendedCard"}', 'GetExtendedAgentCard', {}],
  ]
  test.each(calls)('%s', (_fact, body, operation, named) => {
    const call = readCall({ method: 'POST', path: '/anything', body })
    const { sends = [], ...rest } = call ?? {}
    const sent = sends[0]
    expect({ ...rest, ...(sent?.messageId !== undefined && { messageId: sent.messageId }) }).toEqual({ binding: 'JSONRPC', operation, ...named })
    const isSent = operation === 'SendMessage' || operation === 'SendStreamingMessage'
    expect(sends.map(({ text }) => text)).toEqual(isSent ? [body] : [])
  })

  test('of several has as many sends as it has, each as it stood there', () => {
    const first = rpc('SendMessage', { message })
    const second = ` ${rpc('SendMessage', { message: { ...message, messageId: 'm-2' } })}`
    const call = readCall({ method: 'POST', path: '/', body: `[${first},${rpc('GetTask', { id: 't-1' })},${second}]` })
    expect(call).toEqual({
      binding: 'JSONRPC',
      sends: [
        { text: first, operation: 'SendMessage', messageId: 'm-1' },
        { text: second.trim(), operation: 'SendMessage', messageId: 'm-2' },
      ],
    })
  })

  test('is told by its body, whatever the path says', () => {
    expect(readCall({ method: 'POST', path: '/tasks/t-1:cancel', body: rpc('GetTask', { id: 't-2' }) })).toMatchObject({ binding: 'JSONRPC', taskId: 't-2' })
  })
})

describe('an HTTP+JSON call', () => {
  const calls: readonly (readonly [method: string, path: string, operation: string, named: object])[] = [
    ['POST', '/message:send', 'SendMessage', {}],
    ['POST', '/message%3Asend', 'SendMessage', {}],
    ['POST', '/v1/message:send', 'SendMessage', {}],
    ['POST', '/a2a/rest/v1/message:stream', 'SendStreamingMessage', { prefix: 'a2a/rest' }],
    ['POST', '/acme/message:send', 'SendMessage', { prefix: 'acme' }],
    ['GET', '/tasks/t-1', 'GetTask', { taskId: 't-1' }],
    ['GET', '/tasks/t-1/', 'GetTask', { taskId: 't-1' }],
    ['GET', '/v1/tasks/t%2F1', 'GetTask', { taskId: 't/1' }],
    ['GET', '/v1/tasks/t%ZZ', 'GetTask', { taskId: 't%ZZ' }],
    ['GET', '/tasks', 'ListTasks', {}],
    ['POST', '/tasks/t-1:cancel', 'CancelTask', { taskId: 't-1' }],
    ['GET', '/tasks/t-1:subscribe', 'SubscribeToTask', { taskId: 't-1' }],
    ['POST', '/v1/tasks/t-1:subscribe', 'SubscribeToTask', { taskId: 't-1' }],
    ['POST', '/tasks/t-1/pushNotificationConfigs', 'CreateTaskPushNotificationConfig', { taskId: 't-1' }],
    ['GET', '/tasks/t-1/pushNotificationConfigs', 'ListTaskPushNotificationConfigs', { taskId: 't-1' }],
    ['GET', '/v1/tasks/t-1/pushNotificationConfigs/c-1', 'GetTaskPushNotificationConfig', { taskId: 't-1' }],
    ['DELETE', '/tasks/t-1/pushNotificationConfigs/c-1', 'DeleteTaskPushNotificationConfig', { taskId: 't-1' }],
    ['GET', '/extendedAgentCard', 'GetExtendedAgentCard', {}],
    ['GET', '/v1/card', 'GetExtendedAgentCard', {}],
    ['GET', '/.well-known/agent-card.json', 'GetAgentCard', {}],
    ['GET', '/a2a/.well-known/agent.json', 'GetAgentCard', { prefix: 'a2a' }],
  ]
  test.each(calls)('%s %s', (method, path, operation, named) => {
    const { sends: _, ...call } = readCall({ method, path, body: '' }) ?? { sends: [] }
    expect(call).toEqual({ binding: 'HTTP+JSON', operation, ...named })
  })

  test('that sends gives its message', () => {
    const body = JSON.stringify({ message: { ...message, taskId: 't-1' } })
    expect(readCall({ method: 'POST', path: '/message:send', body })).toEqual({
      binding: 'HTTP+JSON',
      operation: 'SendMessage',
      taskId: 't-1',
      sends: [{ text: body, operation: 'SendMessage', messageId: 'm-1', taskId: 't-1' }],
    })
  })
})

test.each([
  ['GET', '/', ''],
  ['GET', '/message:send', ''],
  ['POST', '/xmessage:send', ''],
  ['POST', '/mytasks/t-1:cancel', ''],
  ['GET', '/mytasks', ''],
  ['GET', '/tasks/t-1/files', ''],
  ['PUT', '/tasks/t-1', ''],
  ['POST', '/', '{"method":"GetTask"}'],
  ['POST', '/', '[]'],
  ['POST', '/', '[1]'],
  ['POST', '/', 'no json'],
  ['POST', '/graphql', '{"query":"{a}"}'],
])('%s %s with %j is no A2A call', (method, path, body) => {
  expect(readCall({ method, path, body })).toBeUndefined()
})
