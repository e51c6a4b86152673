import { describe, expect, it } from 'vitest'
import { replacePushUrls } from './push-urls.ts'

const hook = 'https://o.example.com/hook?a=1'
const other = 'https://tee.example.com/w1/~push/x'
const config = { url: hook, token: 's', authentication: { schemes: ['Bearer'], credentials: 'c' } }
/** What looks like one and is the client's own matter. */
const message = { role: 'ROLE_USER', messageId: 'm-1', parts: [{ url: 'https://o.example.com/file' }], metadata: { pushNotificationConfig: { url: 'https://o.example.com/own' } } }
const call = (method: string, params: object): object => ({ jsonrpc: '2.0', id: 1, method, params })
const answer = (result: object): object => ({ jsonrpc: '2.0', id: 1, result })

describe('the address of a push configuration', () => {
  it.each<[fact: string, operation: string, body: object]>([
    ['of a message in v1.0', 'SendMessage', call('SendMessage', { message, configuration: { taskPushNotificationConfig: config } })],
    ['of a message in v0.3', 'SendMessage', call('message/send', { message, configuration: { pushNotificationConfig: config } })],
    ['of a message in v0.1', 'SendMessage', call('tasks/send', { id: 't-1', message, pushNotification: config })],
    ['of a message over HTTP+JSON', 'SendStreamingMessage', { message, configuration: { task_push_notification_config: config } }],
    ['that is made in v1.0', 'CreateTaskPushNotificationConfig', call('CreateTaskPushNotificationConfig', { taskId: 't-1', id: 'c-1', ...config })],
    ['that is made in v0.3', 'tasks/pushNotificationConfig/set', call('tasks/pushNotificationConfig/set', { taskId: 't-1', pushNotificationConfig: config })],
    ['that is made under a name of its own', 'CreateTaskPushNotificationConfig', { parent: 'tasks/t-1', config: { name: 'tasks/t-1/x', pushNotificationConfig: config } }],
    ['that is made over HTTP+JSON', 'CreateTaskPushNotificationConfig', { taskId: 't-1', ...config }],
    ['that is answered', 'GetTaskPushNotificationConfig', answer({ taskId: 't-1', pushNotificationConfig: config })],
    ['that is listed in v1.0', 'ListTaskPushNotificationConfigs', { configs: [{ taskId: 't-1', ...config }] }],
    ['that is listed in v0.3', 'tasks/pushNotificationConfig/list', answer([{ taskId: 't-1', pushNotificationConfig: config }])],
  ])('%s is replaced, and nothing else', (_fact, operation, body) => {
    const text = JSON.stringify(body, null, 1)
    expect(replacePushUrls(text, operation, () => other)).toBe(text.replace(JSON.stringify(hook), JSON.stringify(other)))
    expect(text).toContain(JSON.stringify(hook))
  })

  it.each<[fact: string, operation: string, text: string]>([
    ['a message without one', 'SendMessage', JSON.stringify(call('SendMessage', { message, configuration: {} }))],
    ['another operation', 'GetTask', JSON.stringify(answer({ id: 't-1', ...config }))],
    ['a configuration without an address', 'CreateTaskPushNotificationConfig', JSON.stringify({ taskId: 't-1', url: '' })],
    ['an address that is no text', 'CreateTaskPushNotificationConfig', '{"url":1}'],
    ['an error', 'GetTaskPushNotificationConfig', '{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no"}}'],
    ['no JSON', 'SendMessage', '{'],
    ['no object', 'CreateTaskPushNotificationConfig', '"x"'],
  ])('is not in %s', (_fact, operation, text) => {
    expect(replacePushUrls(text, operation, () => other)).toBeUndefined()
  })

  it('stays where no other is given', () => {
    expect(replacePushUrls(JSON.stringify({ taskId: 't-1', ...config }), 'CreateTaskPushNotificationConfig', () => undefined)).toBeUndefined()
  })

  it('is each of many', () => {
    const text = JSON.stringify({ configs: [{ url: 'a' }, { url: 'b' }, { url: 'c' }] })
    expect(replacePushUrls(text, 'ListTaskPushNotificationConfigs', (url) => (url === 'b' ? undefined : `${url}!`))).toBe('{"configs":[{"url":"a!"},{"url":"b"},{"url":"c!"}]}')
  })
})
