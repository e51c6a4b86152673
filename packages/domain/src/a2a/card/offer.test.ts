import { describe, expect, it } from 'vitest'
import { readCardOffer } from './offer.ts'

const continuity = (params: object) => ({ uri: 'urn:a2a-ledger:task-continuity:v1', params })

describe('what a card offers to whoever calls', () => {
  it('v1.0: interfaces in the order of preference, with version and tenant', () => {
    const card = {
      supportedInterfaces: [
        { url: 'https://x.test/rest', protocolBinding: 'HTTP+JSON', protocolVersion: '1.0', tenant: 'acme' },
        { url: 'https://x.test/', protocolBinding: 'JSONRPC', protocolVersion: '0.3.0', tenant: '' },
      ],
      capabilities: { streaming: true, pushNotifications: true },
    }
    expect(readCardOffer(JSON.stringify(card))).toEqual({
      interfaces: [
        { url: 'https://x.test/rest', binding: 'HTTP+JSON', protocolVersion: '1.0', tenant: 'acme' },
        { url: 'https://x.test/', binding: 'JSONRPC', protocolVersion: '0.3' },
      ],
      isStreaming: true,
      isPushing: true,
    })
  })

  it('v0.3: the address of the card itself comes first, and once', () => {
    const card = {
      protocolVersion: '0.3.0',
      url: 'https://x.test/',
      additionalInterfaces: [
        { url: 'https://x.test/', transport: 'JSONRPC' },
        { url: 'https://x.test/rest', transport: 'HTTP+JSON' },
      ],
    }
    expect(readCardOffer(JSON.stringify(card))?.interfaces).toEqual([
      { url: 'https://x.test/', binding: 'JSONRPC', protocolVersion: '0.3' },
      { url: 'https://x.test/rest', binding: 'HTTP+JSON', protocolVersion: '0.3' },
    ])
  })

  it('our extension says what to send and what comes of it (contract §5)', () => {
    const extensions = [{ uri: 'urn:other', params: { canary: { message: 'no' } } }, continuity({ canary: { message: 'Make the test report', outputModes: ['text/csv', 7] } })]
    expect(readCardOffer(JSON.stringify({ capabilities: { extensions } }))).toMatchObject({ canaryMessage: 'Make the test report', canaryModes: ['text/csv'] })
  })

  it.each([
    ['no JSON', '<html>', undefined],
    ['a list', '[]', undefined],
    ['nothing', '{}', { interfaces: [], isStreaming: false, isPushing: false }],
    ['interfaces of a wrong kind', '{"supportedInterfaces":7,"url":8,"capabilities":"x"}', { interfaces: [], isStreaming: false, isPushing: false }],
    ['an interface without an address or a binding', '{"supportedInterfaces":[{"protocolBinding":"JSONRPC"},{"url":"http://x.test"}]}', { interfaces: [], isStreaming: false, isPushing: false }],
  ])('%s is taken as it is', (_name, text, expected) => {
    expect(readCardOffer(text)).toEqual(expected)
  })
})
