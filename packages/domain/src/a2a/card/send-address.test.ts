import { describe, expect, it } from 'vitest'
import { sendAddressOf } from './send-address.ts'

const face = (url: string, protocolBinding: string, protocolVersion?: string) => ({ url, protocolBinding, ...(protocolVersion !== undefined && { protocolVersion }) })
const v1 = (...supportedInterfaces: object[]) => ({ name: 'w', supportedInterfaces })
const told = (address: ReturnType<typeof sendAddressOf>): string => (address === undefined ? 'none' : `${address.binding} ${address.version} ${address.url}`)

describe('where a message is sent', () => {
  it.each<[string, string | undefined, object | undefined, string]>([
    ['nothing is known', undefined, undefined, 'none'],
    ['an enrolled address alone', 'http://w/', undefined, 'JSONRPC 1.0 http://w/'],
    ['the first interface of the card', undefined, v1(face('http://a', 'JSONRPC', '1.0')), 'JSONRPC 1.0 http://a'],
    ['JSON-RPC before HTTP+JSON', undefined, v1(face('http://a', 'HTTP+JSON', '1.0'), face('http://b', 'JSONRPC', '1.0')), 'JSONRPC 1.0 http://b'],
    ['HTTP+JSON where there is no other', undefined, v1(face('http://g', 'GRPC', '1.0'), face('http://a', 'HTTP+JSON', '1.0')), 'HTTP+JSON 1.0 http://a'],
    ['gRPC alone', undefined, v1(face('http://g', 'GRPC', '1.0')), 'none'],
    ['a version of its own', undefined, v1(face('http://a', 'JSONRPC', '0.3')), 'JSONRPC 0.3 http://a'],
    ['a version to come', undefined, v1(face('http://a', 'JSONRPC', '2.0')), 'none'],
    ['a minor version to come', undefined, v1(face('http://a', 'JSONRPC', '1.1')), 'JSONRPC 1.0 http://a'],
    ['no version', undefined, v1(face('http://a', 'JSONRPC')), 'JSONRPC 1.0 http://a'],
    ['a card of v0.3', undefined, { name: 'w', url: 'http://a', protocolVersion: '0.3.0' }, 'JSONRPC 0.3 http://a'],
    ['a card of v0.3 with another transport', undefined, { name: 'w', url: 'http://a', preferredTransport: 'HTTP+JSON', protocolVersion: '0.3.0' }, 'HTTP+JSON 0.3 http://a'],
    ['a card of v0.3 with another interface', undefined, { name: 'w', url: 'http://g', preferredTransport: 'GRPC', protocolVersion: '0.3.0', additionalInterfaces: [{ url: 'http://a', transport: 'JSONRPC' }] }, 'JSONRPC 0.3 http://a'],
    ['a card of v0.2', undefined, { name: 'w', url: 'http://a', protocolVersion: '0.2.5' }, 'JSONRPC 0.3 http://a'],
    ['an enrolled address that the card knows', 'http://b/', v1(face('http://a', 'JSONRPC', '1.0'), face('http://b', 'HTTP+JSON', '0.3')), 'HTTP+JSON 0.3 http://b/'],
    ['an enrolled address that the card does not know', 'http://c', v1(face('http://a', 'JSONRPC', '0.3')), 'JSONRPC 0.3 http://c'],
    ['an answer about the extended card', undefined, { jsonrpc: '2.0', id: 1, result: v1(face('http://a', 'JSONRPC', '1.0')) }, 'JSONRPC 1.0 http://a'],
    ['snake case', undefined, { name: 'w', supported_interfaces: [{ url: 'http://a', protocol_binding: 'HTTP+JSON', protocol_version: '0.3' }] }, 'HTTP+JSON 0.3 http://a'],
    ['an interface without an address', undefined, v1({ protocolBinding: 'JSONRPC', protocolVersion: '1.0' }), 'none'],
  ])('%s', (_what, enrolled, card, expected) => {
    expect(told(sendAddressOf(enrolled, card && JSON.stringify(card)))).toBe(expected)
  })

  it('a card that is no JSON says nothing', () => {
    expect(told(sendAddressOf('http://w', 'nothing'))).toBe('JSONRPC 1.0 http://w')
    expect(told(sendAddressOf(undefined, 'nothing'))).toBe('none')
  })
})
