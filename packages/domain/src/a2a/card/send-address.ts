/** Where and how a message is sent to a worker: by its enrolled address, and what its card says of it. */
import { scanJson, type JsonValue } from '../../json/document.ts'
import { bindingOf } from '../binding.ts'
import type { SendVersion } from '../resend.ts'
import { snakeOf } from '../snake.ts'
import { majorMinor } from '../version.ts'

export interface SendAddress {
  readonly url: string
  readonly binding: 'JSONRPC' | 'HTTP+JSON'
  readonly version: SendVersion
}

/**
 * The address to send to; `undefined` where none is known, or none that speaks a binding and a version
 * that we send.
 *
 * An enrolled URL is called whatever the card says: it is spoken to as the card's interface of that URL is,
 * else as its first usable one, else as JSON-RPC of v1.0. Without one the card's first usable interface
 * counts, JSON-RPC before HTTP+JSON.
 */
export const sendAddressOf = (enrolledUrl: string | undefined, card: string | undefined): SendAddress | undefined => {
  const usable = card === undefined ? [] : interfacesIn(card)
  const first = usable.find(({ binding }) => binding === 'JSONRPC') ?? usable[0]
  if (enrolledUrl === undefined) return first
  const named = usable.find(({ url }) => plain(url) === plain(enrolledUrl)) ?? first
  return { url: enrolledUrl, binding: named?.binding ?? 'JSONRPC', version: named?.version ?? '1.0' }
}

const plain = (url: string): string => url.replace(/\/+$/, '')

const interfacesIn = (text: string): readonly SendAddress[] => {
  const scan = scanJson(text)
  if (scan.outcome !== 'ok') return []
  const { root } = scan.document
  const card = root.get('jsonrpc') === undefined ? root : (root.get('result') ?? root)
  const version = member(card, 'protocolVersion')?.string
  const own = addressOf(card.get('url')?.string, member(card, 'preferredTransport')?.string ?? 'JSONRPC', version ?? '0.3')
  const listed = ['supportedInterfaces', 'additionalInterfaces'].flatMap((name) =>
    [...(member(card, name)?.items() ?? [])].map((each) =>
      addressOf(
        each.get('url')?.string,
        (member(each, 'protocolBinding') ?? member(each, 'transport'))?.string ?? 'JSONRPC',
        member(each, 'protocolVersion')?.string ?? version ?? (name === 'supportedInterfaces' ? '1.0' : '0.3'),
      ),
    ),
  )
  return [own, ...listed].filter((each) => each !== undefined)
}

const member = (object: JsonValue, name: string): JsonValue | undefined => object.get(name) ?? object.get(snakeOf(name))

const addressOf = (url: string | undefined, named: string, stated: string): SendAddress | undefined => {
  const binding = bindingOf(named)
  const told = majorMinor(stated)
  const version = told === '1.0' || told === '0.3' ? told : told?.startsWith('0.') === true ? '0.3' : told?.startsWith('1.') === true ? '1.0' : undefined
  if (url === undefined || url === '' || version === undefined) return undefined
  return binding === 'JSONRPC' || binding === 'HTTP+JSON' ? { url, binding, version } : undefined
}
