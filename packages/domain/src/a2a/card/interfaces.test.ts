import { describe, expect, test } from 'vitest'
import { readCardAddresses } from './interfaces.ts'

const renamed = (text: string) => readCardAddresses(text, ({ url, binding }) => (binding === 'GRPC' ? undefined : `https://proxy/${encodeURIComponent(url)}`))

describe('the addresses of a card', () => {
  test.each([
    [
      'v1.0',
      '{ "name": "w",\n "supportedInterfaces": [ {"url":"http:\\/\\/w/rpc", "protocolBinding":"JSONRPC"}, {"protocolBinding":"HTTP+JSON","url":"http://w/rest"},{"url":"w:443","protocolBinding":"GRPC"} ],"big":12345678901234567890 }',
      '{ "name": "w",\n "supportedInterfaces": [ {"url":"https://proxy/http%3A%2F%2Fw%2Frpc", "protocolBinding":"JSONRPC"}, {"protocolBinding":"HTTP+JSON","url":"https://proxy/http%3A%2F%2Fw%2Frest"},{"url":"w:443","protocolBinding":"GRPC"} ],"big":12345678901234567890 }',
      [{ url: 'http://w/rpc', binding: 'JSONRPC' }, { url: 'http://w/rest', binding: 'HTTP+JSON' }, { url: 'w:443', binding: 'GRPC' }],
    ],
    [
      'v0.3',
      '{"url":"http://w/","preferredTransport":"JSONRPC","additionalInterfaces":[{"url":"http://w/","transport":"JSONRPC"},{"url":"http://w/rest","transport":"HTTP+JSON"}]}',
      '{"url":"https://proxy/http%3A%2F%2Fw%2F","preferredTransport":"JSONRPC","additionalInterfaces":[{"url":"https://proxy/http%3A%2F%2Fw%2F","transport":"JSONRPC"},{"url":"https://proxy/http%3A%2F%2Fw%2Frest","transport":"HTTP+JSON"}]}',
      [{ url: 'http://w/', binding: 'JSONRPC' }, { url: 'http://w/', binding: 'JSONRPC' }, { url: 'http://w/rest', binding: 'HTTP+JSON' }],
    ],
    [
      'v0.3, over gRPC',
      '{"url":"http://w/","preferredTransport":"GRPC"}',
      '{"url":"http://w/","preferredTransport":"GRPC"}',
      [{ url: 'http://w/', binding: 'GRPC' }],
    ],
    ['in snake case', '{"supported_interfaces":[{"url":"http://w","protocol_binding":"JSONRPC"}]}', '{"supported_interfaces":[{"url":"https://proxy/http%3A%2F%2Fw","protocol_binding":"JSONRPC"}]}', [{ url: 'http://w', binding: 'JSONRPC' }]],
    ['in a JSON-RPC answer', '{"jsonrpc":"2.0","id":1,"result":{"url":"http://w"}}', '{"jsonrpc":"2.0","id":1,"result":{"url":"https://proxy/http%3A%2F%2Fw"}}', [{ url: 'http://w', binding: 'JSONRPC' }]],
    ['elsewhere stay', '{"url":"http://w","provider":{"url":"http://p"},"documentationUrl":"http://d","iconUrl":"http://i"}', '{"url":"https://proxy/http%3A%2F%2Fw","provider":{"url":"http://p"},"documentationUrl":"http://d","iconUrl":"http://i"}', [{ url: 'http://w', binding: 'JSONRPC' }]],
  ])('%s', (_name, text, expected, interfaces) => {
    expect(renamed(text)).toEqual({ isSigned: false, interfaces, text: expected })
  })

  test('that is signed are read and stay', () => {
    const text = '{"url":"http://w","signatures":[{"protected":"e30","signature":"c2ln"}]}'
    expect(renamed(text)).toEqual({ isSigned: true, interfaces: [{ url: 'http://w', binding: 'JSONRPC' }], text })
  })

  test.each([['no JSON', '<html>'], ['no object', '[]'], ['an error', '{"jsonrpc":"2.0","id":1,"error":{"code":-32601}}'], ['no addresses', '{"name":"w","url":7}'], ['an empty address', '{"url":""}']])('of %s are none', (_name, text) => {
    expect(renamed(text)).toBeUndefined()
  })
})
