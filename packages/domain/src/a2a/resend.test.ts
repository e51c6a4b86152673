import { describe, expect, it } from 'vitest'
import { resendOf, type Resend } from './resend.ts'

const uri = 'urn:a2a-ledger:task-continuity:v1'
const v1 = { message: { role: 'ROLE_USER', messageId: 'm-1', contextId: 'c-1', parts: [{ text: 'write it', mediaType: 'text/markdown' }, { data: { a: 1 } }] } }
const v03 = {
  message: { kind: 'message', role: 'user', messageId: 'm-1', parts: [{ kind: 'text', text: 'write it' }, { kind: 'file', file: { bytes: 'aGk=', mimeType: 'text/plain', name: 'a.txt' }, metadata: { page: 2 } }, { kind: 'file', file: { uri: 'https://a.example/x', name: 'x' } }, { kind: 'data', data: { a: 1 } }] },
}
const make = (original: unknown, told: Partial<Resend> = {}) =>
  resendOf({ original: typeof original === 'string' ? original : JSON.stringify(original), turns: [], messageId: 'm-new', correlationId: 'order-42', version: '1.0', binding: 'JSONRPC', ...told })
const requestOf = (original: unknown, told: Partial<Resend> = {}) => {
  const made = make(original, told)
  return made.outcome === 'ok' ? JSON.parse(made.request) : made.outcome
}

describe('a recorded send, made again', () => {
  it('has the new message id, the correlation ID and the same parts, and asks for an answer at once', () => {
    expect(requestOf(v1)).toEqual({
      message: { messageId: 'm-new', role: 'ROLE_USER', contextId: 'c-1', parts: v1.message.parts, metadata: { [uri]: { correlationId: 'order-42' } } },
      configuration: { returnImmediately: true },
    })
    expect(requestOf(v03, { version: '0.3' })).toEqual({
      message: { kind: 'message', messageId: 'm-new', role: 'user', parts: v03.message.parts, metadata: { [uri]: { correlationId: 'order-42' } } },
      configuration: { blocking: false },
    })
  })

  it('is taken out of a JSON-RPC request, and out of a bare message', () => {
    expect(requestOf({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: v1 }).message.parts).toEqual(v1.message.parts)
    expect(requestOf(v1.message).message.parts).toEqual(v1.message.parts)
  })

  it('gives numbers to the letter', () => {
    const made = make('{"message":{"role":"ROLE_USER","messageId":"m","parts":[{"data":{"n":12345678901234567890.10}}]}}')
    expect(made.outcome === 'ok' && made.request).toContain('12345678901234567890.10')
    const other = make('{"message":{"kind":"message","role":"user","messageId":"m","parts":[{"kind":"data","data":{"n":12345678901234567890.10}}]}}')
    expect(other.outcome === 'ok' && other.request).toContain('12345678901234567890.10')
  })

  it('is put into the words of v1.0', () => {
    expect(requestOf(v03).message.parts).toEqual([
      { text: 'write it' },
      { raw: 'aGk=', mediaType: 'text/plain', filename: 'a.txt', metadata: { page: 2 } },
      { url: 'https://a.example/x', filename: 'x' },
      { data: { a: 1 } },
    ])
  })

  it('is put into the words of v0.3', () => {
    const parts = [{ text: 'write it', mediaType: 'text/markdown' }, { raw: 'aGk=', mediaType: 'text/plain', filename: 'a.txt', metadata: { page: 2 } }, { url: 'https://a.example/x' }, { data: [1] }]
    expect(requestOf({ message: { ...v1.message, parts } }, { version: '0.3' }).message.parts).toEqual([
      { kind: 'text', text: 'write it' },
      { kind: 'file', file: { bytes: 'aGk=', mimeType: 'text/plain', name: 'a.txt' }, metadata: { page: 2 } },
      { kind: 'file', file: { uri: 'https://a.example/x' } },
      { kind: 'data', data: [1] },
    ])
  })

  it('is put into the names of the protobuf of v0.3, which HTTP+JSON has', () => {
    const parts = [...v03.message.parts, { kind: 'data', data: [1] }]
    const turns = [{ asked: 'Which?', sent: JSON.stringify(v1) }]
    expect(requestOf({ message: { ...v03.message, parts }, configuration: { acceptedOutputModes: ['a/b'], pushNotificationConfig: { url: 'https://hook.example' } } }, { version: '0.3', binding: 'HTTP+JSON', turns })).toEqual({
      message: {
        messageId: 'm-new', role: 'ROLE_USER',
        content: [
          { text: 'write it' },
          { file: { fileWithBytes: 'aGk=', mimeType: 'text/plain', name: 'a.txt' } },
          { file: { fileWithUri: 'https://a.example/x', name: 'x' } },
          { data: { data: { a: 1 } } },
          { data: { data: { value: [1] } } },
          { text: 'Which?' },
          { text: 'write it' },
          { data: { data: { a: 1 } } },
        ],
        metadata: { [uri]: { correlationId: 'order-42' } },
      },
      configuration: { acceptedOutputModes: ['a/b'], blocking: false },
    })
  })

  it('leaves the lost task out, and keeps what the sender wrote beside the correlation ID', () => {
    const metadata = { order: 7, [uri]: { correlationId: 'another', skill: 'write' } }
    const made = requestOf({ message: { ...v1.message, taskId: 't-1', referenceTaskIds: ['t-0'], metadata }, metadata: { tenant: 'a' } })
    expect(made.message).not.toHaveProperty('taskId')
    expect(made.message.metadata).toEqual({ order: 7, [uri]: { correlationId: 'order-42', skill: 'write' } })
    expect(made.metadata).toEqual({ tenant: 'a' })
  })

  it('holds what was said since, each answer behind its question', () => {
    const turn = (text: string) => JSON.stringify({ message: { role: 'ROLE_USER', messageId: 'm-2', taskId: 't-1', parts: [{ text }] } })
    const turns = [{ asked: 'Which colour?', sent: turn('blue') }, { sent: turn('and large') }, { asked: '', sent: 'no JSON' }]
    expect(requestOf(v1, { turns }).message.parts).toEqual([
      ...v1.message.parts,
      { text: 'Which colour?', metadata: { [uri]: { role: 'agent' } } },
      { text: 'blue' },
      { text: 'and large' },
    ])
    expect(requestOf(v03, { turns: turns.slice(0, 1), version: '0.3' }).message.parts.slice(4)).toEqual([
      { kind: 'text', text: 'Which colour?', metadata: { [uri]: { role: 'agent' } } },
      { kind: 'text', text: 'blue' },
    ])
  })

  it('accepts what the first sender accepts, and wants pushes only where they can still be made', () => {
    const configured = (configuration: object) => requestOf({ ...v1, configuration }).configuration
    const push = { url: 'https://hook.example' }
    expect(configured({ acceptedOutputModes: ['application/json'], historyLength: 3, returnImmediately: false })).toEqual({ acceptedOutputModes: ['application/json'], returnImmediately: true })
    expect(configured({ taskPushNotificationConfig: push })).toEqual({ taskPushNotificationConfig: push, returnImmediately: true })
    expect(configured({ taskPushNotificationConfig: { ...push, token: '******' } })).toEqual({ returnImmediately: true })
    expect(configured({ taskPushNotificationConfig: { ...push, authentication: { schemes: ['Bearer'], credentials: '***' } } })).toEqual({ returnImmediately: true })
    expect(requestOf({ ...v03, configuration: { pushNotificationConfig: push } }).configuration).toEqual({ returnImmediately: true })
    expect(requestOf({ ...v03, configuration: { pushNotificationConfig: push } }, { version: '0.3' }).configuration).toEqual({ pushNotificationConfig: push, blocking: false })
  })

  it.each<[string, unknown, string]>([
    ['what is no JSON', 'nothing', 'no-message'],
    ['what is no send', { result: {} }, 'no-message'],
    ['a message without parts', { message: { role: 'ROLE_USER', messageId: 'm', parts: [] } }, 'no-message'],
    ['a message whose parts say nothing', { message: { kind: 'message', role: 'user', messageId: 'm', parts: [{ kind: 'text' }] } }, 'no-message'],
    ['a message with a credential that was not kept', { message: { ...v1.message, metadata: { headers: { Authorization: '**********' } } } }, 'credentials'],
  ])('of %s there is none', (_what, original, outcome) => {
    expect(make(original)).toEqual({ outcome })
  })
})
