/** L2: whether two events under one key are one event. */
import { canonicalJson, hashOfParts, type Codec, type EventAttributes } from '@a2a-ledger/domain'

/** Tracing and defaults decide nothing: another hop, or a default spelled out, is the same event. */
const decidingAttributes = [
  'type',
  'workerid',
  'taskid',
  'operation',
  'protocolversion',
  'binding',
  'httpstatus',
  'scope',
  'correlationid',
  'time',
] as const

/** 32 hex digits over what decides: equal for the same bytes under the same deciding attributes. */
export const contentHashOf = (codec: Codec, attributes: EventAttributes, digest: string): string =>
  hashOfParts(codec, 'content', [
    digest,
    ...decidingAttributes.map((name) => {
      const value = attributes[name]
      return value === undefined ? '' : `=${value}`
    }),
  ])

/**
 * Names of the deciding attributes that differ, and `data`; empty when both are one event.
 *
 * Data is the same when the bytes are, or when both are JSON texts of one value. Data that was
 * erased or archived cannot be compared and counts as different.
 */
export const differencesOf = (
  codec: Codec,
  recorded: { readonly attributes: EventAttributes; readonly data: Uint8Array | undefined },
  sent: { readonly attributes: EventAttributes; readonly data: Uint8Array },
): readonly string[] => {
  const attributes = decidingAttributes.filter((name) => recorded.attributes[name] !== sent.attributes[name])
  return isSameData(codec, recorded.data, sent.data) ? attributes : [...attributes, 'data']
}

const isSameData = (codec: Codec, recorded: Uint8Array | undefined, sent: Uint8Array): boolean => {
  if (recorded === undefined) return false
  const [one, other] = [codec.utf8Decode(recorded), codec.utf8Decode(sent)]
  if (one === undefined || other === undefined) return codec.sha256Hex(recorded) === codec.sha256Hex(sent)
  return one === other || canonicalJson(one) === canonicalJson(other)
}
