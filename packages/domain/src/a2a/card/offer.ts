/**
 * How a worker can be called, and what it offers a prober: what a card says to whoever calls, and no
 * decision rests on. `CardReading` has what decisions rest on.
 */
import { type JsonValue, scanJson } from '../../json/document.ts'
import { bindingOf } from '../binding.ts'
import { continuityUri } from '../claim.ts'
import { defined } from '../defined.ts'
import { snakeOf } from '../snake.ts'
import { majorMinor } from '../version.ts'

export interface OfferedInterface {
  readonly url: string
  /** As cards and the contract spell it. */
  readonly binding: string
  /** `1.0`, `0.3`, …; absent where the card does not say. */
  readonly protocolVersion?: string
  /** The tenant that calls of it name (v1.0). */
  readonly tenant?: string
}

export interface CardOffer {
  /** In the order of preference of the card. */
  readonly interfaces: readonly OfferedInterface[]
  readonly isStreaming: boolean
  readonly isPushing: boolean
  /** From our extension (contract §5): what to send, and what comes of it. */
  readonly canaryMessage?: string
  readonly canaryModes?: readonly string[]
}

const interfacesMax = 8

/** What a card offers; `undefined` where `text` is no JSON object. Total: never throws. */
export const readCardOffer = (text: string): CardOffer | undefined => {
  const scan = scanJson(text)
  if (scan.outcome !== 'ok' || scan.document.root.kind !== 'object') return undefined
  const card = scan.document.root
  const capabilities = member(card, 'capabilities')
  const canary = member(paramsOf(capabilities), 'canary')
  const modes = listOf(member(canary, 'outputModes')).flatMap((mode) => mode.string ?? [])
  return {
    interfaces: interfacesOf(card),
    isStreaming: member(capabilities, 'streaming')?.boolean === true,
    isPushing: member(capabilities, 'pushNotifications')?.boolean === true,
    ...defined({ canaryMessage: member(canary, 'message')?.string, canaryModes: modes.length === 0 ? undefined : modes.slice(0, 50) }),
  }
}

const member = (object: JsonValue | undefined, name: string): JsonValue | undefined =>
  object?.kind === 'object' ? (object.get(name) ?? object.get(snakeOf(name))) : undefined

const listOf = (value: JsonValue | undefined): readonly JsonValue[] => (value?.kind === 'array' ? [...value.items()] : [])

const paramsOf = (capabilities: JsonValue | undefined): JsonValue | undefined =>
  member(
    listOf(member(capabilities, 'extensions')).find((each) => member(each, 'uri')?.string === continuityUri),
    'params',
  )

/** Those of v1.0 stand in one list; of v0.3 the card's own address comes first. */
const interfacesOf = (card: JsonValue): readonly OfferedInterface[] => {
  const stated = majorMinor(member(card, 'protocolVersion')?.string)
  const own = interfaceOf(card, member(card, 'preferredTransport')?.string ?? 'JSONRPC', stated)
  const listed = listOf(member(card, 'supportedInterfaces')).map((each) =>
    interfaceOf(each, member(each, 'protocolBinding')?.string, majorMinor(member(each, 'protocolVersion')?.string)),
  )
  const additional = listOf(member(card, 'additionalInterfaces')).map((each) => interfaceOf(each, member(each, 'transport')?.string, stated))
  const all = [...listed, own, ...additional].flatMap((each) => each ?? [])
  return [...new Map(all.map((each) => [JSON.stringify([each.url, each.binding, each.protocolVersion]), each])).values()].slice(0, interfacesMax)
}

const interfaceOf = (
  holder: JsonValue,
  binding: string | undefined,
  protocolVersion: string | undefined,
): OfferedInterface | undefined => {
  const url = member(holder, 'url')?.string
  const tenant = member(holder, 'tenant')?.string
  return url === undefined || url === '' || binding === undefined
    ? undefined
    : { url, binding: bindingOf(binding), ...defined({ protocolVersion, tenant: tenant === '' ? undefined : tenant }) }
}
