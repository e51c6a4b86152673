import type { WitnessedEvent } from './ports.ts'

/**
 * A CloudEvent in structured mode. Data go in as the bytes they are: JSON that fills them as it
 * stands, anything else in base64.
 */
export const structuredEvent = ({ attributes, data }: WitnessedEvent): string => `${JSON.stringify(attributes).slice(0, -1)}${dataMember(data)}}`

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function dataMember(data: Uint8Array): string {
  if (data.length === 0) return ''
  const text = jsonText(data)
  return text === undefined ? `,"data_base64":"${Buffer.from(data).toString('base64')}"` : `,"data":${text}`
}

/** JSON from the first byte to the last: white space around it would be lost between other members. */
function jsonText(data: Uint8Array): string | undefined {
  try {
    const text = utf8.decode(data)
    JSON.parse(text)
    return /^\s|\s$/.test(text) ? undefined : text
  } catch {
    return undefined
  }
}
