import { describe, expect, test } from 'vitest'
import { createPushTee, type PushTarget, type PushTee, type PushTeePorts } from './push-tee.ts'

/** A seal that can be read. */
const seal: PushTeePorts['seal'] = {
  seal: (workerId, target) => Buffer.from(JSON.stringify([workerId, target])).toString('base64url'),
  open: (workerId, sealed) => {
    const [owner, target] = JSON.parse(Buffer.from(sealed, 'base64url').toString()) as [string, PushTarget]
    return owner === workerId ? target : undefined
  },
}

const teeOf = (more: Partial<PushTeePorts> = {}): PushTee =>
  createPushTee({
    directory: { isTeed: () => undefined },
    seal,
    publicUrl: () => 'https://proxy.example/base/',
    isTeeingByDefault: true,
    mayCall: (url) => !url.includes('10.0.0.1'),
    receiverUrl: 'http://ledger:4100/v1/push/',
    ...more,
  })

const hook = 'https://o.example.com/hook'
const body = (url: string): string => JSON.stringify({ message: { messageId: 'm-1', role: 'ROLE_USER', parts: [] }, configuration: { taskPushNotificationConfig: { url, token: 's' } } })
const call = (url = hook) => ({ workerId: 'w/1', operation: 'SendMessage', correlationId: 'order-42', text: body(url) })
const pointedUrl = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : (JSON.parse(text) as { configuration: { taskPushNotificationConfig: { url: string } } }).configuration.taskPushNotificationConfig.url

describe('a push configuration on its way to the worker', () => {
  test('gets an address of the proxy, which leads to the client\'s own', () => {
    const url = pointedUrl(teeOf().pointed(call()))
    expect(url).toMatch(/^https:\/\/proxy[.]example\/base\/w%2F1\/~push\/[\w-]+$/)
    expect(teeOf().targetOf('w/1', url?.split('/').at(-1) ?? '')).toEqual({ url: hook, correlationId: 'order-42' })
  })

  test('of a call that names no logical task leads to one that names none', () => {
    const url = pointedUrl(teeOf().pointed({ ...call(), correlationId: undefined }))
    expect(teeOf().targetOf('w/1', url?.split('/').at(-1) ?? '')).toEqual({ url: hook })
  })

  test.each<[fact: string, tee: PushTee, call: Parameters<PushTee['pointed']>[0]]>([
    ['nobody wants it', teeOf({ isTeeingByDefault: false }), call()],
    ['its enrolment does not want it', teeOf({ directory: { isTeed: () => false } }), call()],
    ['the operation is none of those', teeOf(), { ...call(), operation: 'GetTask' }],
    ['the call is a batch', teeOf(), { ...call(), operation: undefined }],
    ['nobody may call the address', teeOf(), call('http://10.0.0.1/hook')],
    ['the address is one of the proxy already', teeOf(), call('https://proxy.example/base/w%2F1/~push/x')],
    ['the ledger receives it itself', teeOf(), call('http://ledger:4100/v1/push/w1')],
    ['the address is very long', teeOf(), call(`${hook}?${'x'.repeat(2048)}`)],
  ])('stays as it is where %s', (_fact, tee, given) => {
    expect(tee.pointed(given)).toBeUndefined()
  })

  test('changes where the enrolment wants it and nobody else', () => {
    const tee = teeOf({ isTeeingByDefault: false, directory: { isTeed: (workerId) => workerId === 'w/1' } })
    expect(tee.pointed(call())).toBeDefined()
    expect(tee.pointed({ ...call(), workerId: 'w2' })).toBeUndefined()
  })
})

describe('a push configuration on its way back', () => {
  const answer = (url: string): string => JSON.stringify({ jsonrpc: '2.0', id: 1, result: { taskId: 't-1', url } })
  const back = (url: string) => teeOf().pointedBack({ workerId: 'w/1', operation: 'GetTaskPushNotificationConfig', text: answer(url) })

  test('has the client\'s own address again', () => {
    expect(back(pointedUrl(teeOf().pointed(call())) ?? '')).toBe(answer(hook))
  })

  test('stays as it is where the address is none of the proxy, or of another worker', () => {
    expect(back(hook)).toBeUndefined()
    expect(back((pointedUrl(teeOf().pointed({ ...call(), workerId: 'w2' })) ?? '').replace('/w2/', '/w%2F1/'))).toBeUndefined()
  })

  test.each([
    ['GetTaskPushNotificationConfig', true],
    ['CreateTaskPushNotificationConfig', true],
    ['SendMessage', false],
    [undefined, false],
  ])('%s: its answer may hold one: %s', (operation, expected) => {
    expect(teeOf().concernsAnswerOf('w1', operation)).toBe(expected)
    expect(teeOf({ isTeeingByDefault: false }).concernsAnswerOf('w1', operation)).toBe(false)
  })
})
