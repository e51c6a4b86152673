import { describe, expect, test } from 'vitest'
import { redactCredentials, redactKept } from './credentials.ts'

const dispatch = { type: 'a2a.dispatch' }
const configAnswer = { type: 'a2a.response', operation: 'tasks/pushNotificationConfig/get' }

describe('credentials are found by where they stand (L10)', () => {
  test.each([
    [
      'the token of a v1.0 configuration',
      dispatch,
      '{"configuration":{"taskPushNotificationConfig":{"token":"abc"}}}',
      ['abc'],
      '{"configuration":{"taskPushNotificationConfig":{"token":"***"}}}',
    ],
    [
      'the token of a v0.3 configuration',
      dispatch,
      '{"params":{"configuration":{"pushNotificationConfig":{"token":"abc"}}}}',
      ['abc'],
      '{"params":{"configuration":{"pushNotificationConfig":{"token":"***"}}}}',
    ],
    [
      'the token of a v0.2 configuration',
      dispatch,
      '{"pushNotification":{"token":"abc"}}',
      ['abc'],
      '{"pushNotification":{"token":"***"}}',
    ],
    [
      'a configuration in snake case',
      dispatch,
      '{"push_notification_config":{"token":"abc"}}',
      ['abc'],
      '{"push_notification_config":{"token":"***"}}',
    ],
    [
      'credentials of an authentication',
      dispatch,
      '{"pushNotificationConfig":{"authentication":{"schemes":["Bearer"],"credentials":"xy"}}}',
      ['xy'],
      '{"pushNotificationConfig":{"authentication":{"schemes":["Bearer"],"credentials":"**"}}}',
    ],
    [
      'a bare configuration as the result',
      configAnswer,
      '{"jsonrpc":"2.0","result":{"url":"https://x.test","token":"abc"}}',
      ['abc'],
      '{"jsonrpc":"2.0","result":{"url":"https://x.test","token":"***"}}',
    ],
    [
      'every configuration of a list',
      configAnswer,
      '{"configs":[{"token":"a"},{"pushNotificationConfig":{"token":"b"}}]}',
      ['a', 'b'],
      '{"configs":[{"token":"*"},{"pushNotificationConfig":{"token":"*"}}]}',
    ],
    [
      'a configuration told by its shape alone',
      { type: 'a2a.response' },
      '{"taskId":"t","url":"https://x.test","token":"abc"}',
      ['abc'],
      '{"taskId":"t","url":"https://x.test","token":"***"}',
    ],
    [
      'a header by its name in any case',
      { type: 'a2a.task' },
      '{"metadata":{"headers":{"AUTHORIZATION":"Bearer x","Set-Cookie":["a=1","b=2"]}}}',
      ['Bearer x', 'a=1', 'b=2'],
      '{"metadata":{"headers":{"AUTHORIZATION":"********","Set-Cookie":["***","***"]}}}',
    ],
    [
      'a header as an entry of a list',
      { type: 'a2a.task' },
      '{"h":[{"name":"X-A2A-Notification-Token","value":"abc"}]}',
      ['abc'],
      '{"h":[{"name":"X-A2A-Notification-Token","value":"***"}]}',
    ],
    [
      'credentials a v0.1 card gives away',
      { type: 'a2a.agent-card' },
      '{"authentication":{"schemes":["basic"],"credentials":"abc"}}',
      ['abc'],
      '{"authentication":{"schemes":["basic"],"credentials":"***"}}',
    ],
    [
      'a name written with escapes',
      dispatch,
      String.raw`{"pushNotificationConfig":{"tok\u0065n":"abc"}}`,
      ['abc'],
      String.raw`{"pushNotificationConfig":{"tok\u0065n":"***"}}`,
    ],
    [
      'a value with escapes and more than one byte a character',
      dispatch,
      String.raw`{"pushNotificationConfig":{"token":"ü\n😀"}}`,
      ['ü\n😀'],
      '{"pushNotificationConfig":{"token":"********"}}',
    ],
    ['a token behind a mark of the byte order', dispatch, '\uFEFF{"pushNotificationConfig":{"token":"abc"}}', ['abc'], '\uFEFF{"pushNotificationConfig":{"token":"***"}}'],
    [
      'both of a duplicated member',
      dispatch,
      '{"pushNotificationConfig":{"token":"a","token":"b"}}',
      ['a', 'b'],
      '{"pushNotificationConfig":{"token":"*","token":"*"}}',
    ],
  ] as const)('%s', (_fact, context, text, secrets, redacted) => {
    expect(redactCredentials(context, text)).toEqual({ text: redacted, secrets, isRedacted: true, isTold: false })
  })

  test('a token below more levels than are read is overwritten all the same: quarantine keeps the text', () => {
    const around = (inner: string) => `${'['.repeat(100)}{"pushNotificationConfig":{"token":"${inner}"}}${']'.repeat(100)}`
    expect(redactCredentials(dispatch, around('abc'))).toEqual({ text: around('***'), secrets: ['abc'], isRedacted: true, isTold: false })
  })

  test.each([
    [
      'a token in free text',
      dispatch,
      '{"message":{"parts":[{"text":"token please"}],"metadata":{"token":"abc"}}}',
    ],
    [
      'a token in a data part',
      { type: 'a2a.task' },
      '{"artifacts":[{"parts":[{"data":{"token":"abc"}}]}]}',
    ],
    [
      'a security scheme named authorization',
      { type: 'a2a.agent-card' },
      '{"securitySchemes":{"authorization":{"type":"apiKey","in":"header","name":"Authorization"}}}',
    ],
    ['an empty token', dispatch, '{"pushNotificationConfig":{"token":""}}'],
    ['a token that is overwritten already', dispatch, '{"pushNotificationConfig":{"token":"***"}}'],
    ['text of a message that looks like a header', { type: 'a2a.task' }, '{"text":"Authorization: Bearer abcdefgh1"}'],
    ['JSON without the name of a place', dispatch, '{"password":"abc"}'],
  ] as const)('%s stays', (_fact, context, text) => {
    expect(redactCredentials(context, text)).toEqual({ text, secrets: [], isRedacted: false, isTold: false })
  })
})

describe('in text that is no JSON value of its own they are told by how they look', () => {
  const push = (token: string) => `{"taskId":"t","url":"https://x","token":"${token}","data":{"token":"content"}}`
  const frame = (config: string) => `event: message\ndata: {"result":{"metadata":{"headers":{"Authorization":"${config}"}},"token":"content"}}\n\n`
  test.each([
    ['a text', 'token: abc', ['abc'], 'token: ***'],
    ['JSON that was cut off', push('abc').slice(0, 50), ['abc'], push('***').slice(0, 50)],
    ['JSON with a fault', `${push('abc')}}`, ['abc', 'content'], `${push('***').replace('content', '*******')}}`],
    ['of a stream each event is JSON by itself', frame('Bearer x') + frame('y'), ['Bearer x', 'y'], frame('********') + frame('*')],
    ['an event that was cut off', frame('Bearer x').slice(0, 90), ['Bearer x'], frame('********').slice(0, 90)],
    ['an event over several lines', 'data: {"token":\ndata: "abc"}\n\n: token=abc\n\n', ['abc'], 'data: {"token":\ndata: "abc"}\n\n: token=***\n\n'],
    ['a page in a JSON string', JSON.stringify('a\u00fc\n"token": "a\u{1f600}b", x'), ['a\u{1f600}b'], JSON.stringify('a\u00fc\n"token": "a\u{1f600}b", x').replace('a\u{1f600}b', '******')],
    ['a stream in a JSON string', JSON.stringify(frame('Bearer x')), ['Bearer x'], JSON.stringify(frame('********'))],
    ['an escape of a character before it', String.raw`"\u0041: token=abc"`, ['abc'], String.raw`"\u0041: token=***"`],
  ])('%s', (_fact, text, secrets, redacted) => {
    expect(redactKept({ type: 'a2a.response' }, text)).toEqual({ text: redacted, secrets, isRedacted: true, isTold: true })
    expect(redactKept({ type: 'a2a.response' }, redacted)).toEqual({ text: redacted, secrets: [], isRedacted: false, isTold: false })
  })

  test('what only looks like JSON is taken for it until it is to be kept in quarantine', () => {
    const text = '{"password":"abc"}}'
    expect(redactCredentials({ type: 'a2a.response' }, text).text).toBe(text)
    expect(redactKept({ type: 'a2a.response' }, text).text).toBe('{"password":"***"}}')
  })

  test('what does not even look like it is not', () => {
    expect(redactCredentials({ type: 'a2a.response' }, '{"password":"abc",').text).toBe('{"password":"***",')
  })
})
