/**
 * The addresses in an agent card: `supportedInterfaces` of v1.0, `url` and `additionalInterfaces` of
 * v0.3, and the same inside a JSON-RPC answer (the extended card).
 *
 * Addresses are replaced where they stand; every other character of the card stays. A signed card
 * is read and never changed: a changed one would fail its verification (v1.0 §8.4).
 */
import { type JsonValue, scanJson } from '../../json/document.ts'
import { spliced } from '../../json/spliced.ts'
import { bindingOf } from '../binding.ts'
import { snakeOf } from '../snake.ts'

export interface CardInterface {
  readonly url: string
  /** Absent where the card does not say. */
  readonly binding?: string
}

export interface CardAddresses {
  readonly isSigned: boolean
  readonly interfaces: readonly CardInterface[]
  /** The card with the addresses that were given, or as it was when it is signed. */
  readonly text: string
}

interface Place {
  readonly address: CardInterface
  readonly value: JsonValue
}

/**
 * The addresses of a card, and the card with other ones: `rename` gives the new address of an
 * interface, or `undefined` where it stays. The value is `undefined` where `text` is no card.
 */
export const readCardAddresses = (
  text: string,
  rename: (address: CardInterface) => string | undefined,
): CardAddresses | undefined => {
  const scan = scanJson(text)
  if (scan.outcome !== 'ok') return undefined
  const { root } = scan.document
  const card = root.get('jsonrpc') === undefined ? root : root.get('result')
  if (card?.kind !== 'object') return undefined
  const places = placesOf(card)
  if (places.length === 0) return undefined
  const isSigned = [...(card.get('signatures')?.items() ?? [])].length > 0
  const interfaces = places.map(({ address }) => address)
  return { isSigned, interfaces, text: isSigned ? text : spliced(text, places.flatMap((place) => renamedPlace(place, rename))) }
}

const renamedPlace = ({ value: at, address }: Place, rename: (address: CardInterface) => string | undefined) => {
  const value = rename(address)
  return value === undefined ? [] : [{ at, value }]
}

const member = (object: JsonValue, name: string): JsonValue | undefined => object.get(name) ?? object.get(snakeOf(name))

/** True where the card names an address that is spoken to over gRPC. */
export const offersGrpc = (card: JsonValue): boolean => placesOf(card).some(({ address }) => address.binding === 'GRPC')

const placesOf = (card: JsonValue): readonly Place[] => {
  const listed = ['supportedInterfaces', 'additionalInterfaces'].flatMap((name) => [...(member(card, name)?.items() ?? [])])
  return [
    ...placeOf(card, member(card, 'preferredTransport')?.string ?? 'JSONRPC'),
    ...listed.flatMap((each) => placeOf(each, (member(each, 'protocolBinding') ?? member(each, 'transport'))?.string)),
  ]
}

const placeOf = (holder: JsonValue, binding: string | undefined): readonly Place[] => {
  const value = holder.get('url')
  const url = value?.string
  if (value === undefined || url === undefined || url === '') return []
  return [{ value, address: { url, ...(binding !== undefined && { binding: bindingOf(binding) }) } }]
}
