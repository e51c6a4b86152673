import { describe, expect, test } from 'vitest'
import { redactCredentials } from './credentials.ts'

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
    [
      'both of a duplicated member',
      dispatch,
      '{"pushNotificationConfig":{"token":"a","token":"b"}}',
      ['a', 'b'],
      '{"pushNotificationConfig":{"token":"*","token":"*"}}',
    ],
  ] as const)('%s', (_fact, context, text, secrets, redacted) => {
    expect(redactCredentials(context, text)).toEqual({ text: redacted, secrets, isRedacted: true })
  })

  test('a token below more levels than are read is overwritten all the same: quarantine keeps the text', () => {
    const around = (inner: string) => `${'['.repeat(100)}{"pushNotificationConfig":{"token":"${inner}"}}${']'.repeat(100)}`
    expect(redactCredentials(dispatch, around('abc'))).toEqual({ text: around('***'), secrets: ['abc'], isRedacted: true })
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
    ['text that is no JSON', dispatch, 'token: abc'],
  ] as const)('%s stays', (_fact, context, text) => {
    expect(redactCredentials(context, text)).toEqual({ text, secrets: [], isRedacted: false })
  })
})
