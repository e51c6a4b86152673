import { describe, expect, test } from 'vitest'
import { readPayload } from '../read.ts'
import type { CardReading } from '../reading.ts'

const read = (card: unknown): CardReading => {
  const result = readPayload(
    { type: 'a2a.agent-card', operation: 'GetAgentCard' },
    JSON.stringify(card),
  )
  if (result.outcome !== 'read' || result.reading.kind !== 'agent-card')
    throw new Error(JSON.stringify(result))
  return result.reading.card
}

const base = {
  name: 'w',
  description: 'd',
  version: '1.0.0',
  capabilities: {},
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['Text/Plain; charset=utf-8', 'application/json'],
  skills: [
    { id: 's-1', name: 'S', description: 'd', tags: null, outputModes: ['text/csv'] },
    { id: 's-2', outputModes: [] },
  ],
}
const v1 = {
  ...base,
  supportedInterfaces: [
    { url: 'https://x.test', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
  ],
}
const v03 = { ...base, protocolVersion: '0.3.0', url: 'https://x.test' }

describe('agent cards (C158–C167)', () => {
  test.each([
    ['a complete v1.0 card', v1, [], ['1.0']],
    ['a complete v0.3 card', v03, [], ['0.3']],
    ['a dual card', { ...v1, ...v03 }, [], ['0.3', '1.0']],
    ['a v0.2 card', { ...v03, protocolVersion: '0.2.5' }, [], ['0.2']],
    ['a card that states nothing', { ...base, url: 'https://x.test' }, [], []],
    ['a v0.3 form that claims 1.0', { ...v03, protocolVersion: '1.0' }, [], ['1.0']],
    [
      'an interface without a version',
      { ...v1, supportedInterfaces: [{ url: 'https://x.test' }] },
      [],
      [],
    ],
    ['an empty version and null skills', { ...v1, version: '', skills: null }, [], ['1.0']],
    [
      'a v1.0 card without description',
      { ...v1, description: undefined },
      ['description'],
      ['1.0'],
    ],
    ['a v0.3 card without url', { ...v03, url: undefined }, ['url'], ['0.3']],
    ['nothing', {}, ['name', 'version', 'capabilities', 'skills'], []],
  ])('%s', (_fact, card, missing, protocolVersions) => {
    expect(read(card)).toMatchObject({ missing, protocolVersions })
  })

  test('modes are types without parameters, a skill without modes has none of its own', () => {
    expect(read(v1)).toMatchObject({
      outputModes: ['text/plain', 'application/json'],
      skills: [{ id: 's-1', outputModes: ['text/csv'] }, { id: 's-2' }],
    })
    expect(read(v1).skills[1]).not.toHaveProperty('outputModes')
  })

  test('our extension is read, wire spellings of states too', () => {
    const params = {
      reachableStates: ['working', 'TASK_STATE_COMPLETED', 'nap'],
      resumableStates: ['input_required'],
      taskRetentionSeconds: 60,
      idempotency: { key: 'messageId', windowSeconds: 5 },
      redispatchSafety: 'safe',
    }
    const extensions = [{ uri: 'urn:other' }, { uri: 'urn:a2a-ledger:task-continuity:v1', params }]
    expect(read({ ...v1, capabilities: { extensions } })).toMatchObject({
      reachableStates: ['working', 'completed'],
      resumableStates: ['input-required'],
      taskRetentionSeconds: 60,
      idempotencyKey: 'messageId',
      idempotencyWindowSeconds: 5,
      redispatchSafety: 'safe',
    })
    expect(read(v1)).not.toHaveProperty('reachableStates')
  })

  test.each([[-1], ['5'], [null]])('a span of time that is %j says nothing', (span) => {
    const params = { taskRetentionSeconds: span, idempotency: { key: 'messageId', windowSeconds: span } }
    const extensions = [{ uri: 'urn:a2a-ledger:task-continuity:v1', params }]
    const found = read({ ...v1, capabilities: { extensions } })
    expect(found).toMatchObject({ idempotencyKey: 'messageId' })
    expect(Object.keys(found).filter((name) => name.endsWith('Seconds'))).toEqual([])
  })

  test.each([
    ['of v1.0, among others', { supportedInterfaces: [...v1.supportedInterfaces, { url: 'grpc.example:443', protocolBinding: 'GRPC', protocolVersion: '1.0' }] }, true],
    ['of v0.3, as its own', { protocolVersion: '0.3.0', url: 'https://a.example', preferredTransport: 'GRPC' }, true],
    ['of v0.3, beside its own', { protocolVersion: '0.3.0', url: 'https://a.example', additionalInterfaces: [{ url: 'https://b.example', transport: 'grpc' }] }, true],
    ['without an address', { supportedInterfaces: [...v1.supportedInterfaces, { protocolBinding: 'GRPC' }] }, undefined],
    ['without gRPC', {}, undefined],
  ])('whether gRPC is offered: a card %s', (_what, more, expected) => {
    expect(read({ ...v1, ...more }).offersGrpc).toBe(expected)
  })

  test('the essence ignores addresses, signatures and order, and nothing else', () => {
    const moved = {
      ...v1,
      supportedInterfaces: [{ url: 'http://10.0.0.7' }],
      signatures: [{ protected: 'x', signature: 'y' }],
    }
    const turned = Object.fromEntries(Object.entries(v1).reverse())
    expect(read(moved).essence).toBe(read(v1).essence)
    expect(read(turned).essence).toBe(read(v1).essence)
    expect(read({ ...v1, version: '2' }).essence).not.toBe(read(v1).essence)
    expect(read(moved).isSigned).toBe(true)
    expect(read(v1).isSigned).toBe(false)
  })

  test('an extended card is read out of its JSON-RPC answer', () => {
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result: v03 })
    expect(
      readPayload({ type: 'a2a.response', operation: 'agent/getAuthenticatedExtendedCard' }, text),
    ).toMatchObject({
      reading: { kind: 'agent-card', card: { missing: [] } },
    })
  })

  test('a page instead of a card is the error of the fetch', () => {
    const context = { type: 'a2a.agent-card', operation: 'GetAgentCard', httpStatus: 404 }
    expect(readPayload(context, '<html></html>')).toMatchObject({
      reading: { kind: 'error', error: { evidence: 'none' } },
    })
  })
})
