import type { IHeaders, KafkaMessage } from 'kafkajs'
import type { KafkaHeader, KafkaRecord } from './port.ts'

export const fromWireRecord = (message: KafkaMessage): KafkaRecord => ({
  offset: Number(message.offset),
  key: message.key ?? undefined,
  value: message.value ?? undefined,
  headers: fromWireHeaders(message.headers ?? {}),
})

/**
 * The client gathers headers of one name in an array. Beside bytes it may put null there, and for
 * names that every object has (`constructor`) what it found in the prototype.
 */
function fromWireHeaders(headers: IHeaders): readonly KafkaHeader[] {
  return Object.entries(headers).flatMap(([name, values]) =>
    (Array.isArray(values) ? values : [values]).flatMap((value: unknown): KafkaHeader[] => {
      if (value instanceof Uint8Array) return [[name, value]]
      return typeof value === 'string' ? [[name, new TextEncoder().encode(value)]] : []
    }),
  )
}
