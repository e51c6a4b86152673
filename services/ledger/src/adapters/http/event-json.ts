/**
 * Events as JSON text. The data is spliced in as it was received, never parsed and printed again:
 * numbers beyond 2^53, duplicate keys and `\u` escapes survive (L9).
 */
import type { RecordedEvent } from '../../app/ports.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** One event; its data byte for byte, line breaks included. */
export function toEventJson(event: RecordedEvent): string {
  const json = JSON.stringify({
    ...event.attributes,
    position: event.position,
    recordedat: new Date(event.recordedAtMs).toISOString(),
    correlationId: event.correlationId,
    rung: event.rung,
    derivedFrom: event.derivedFrom,
    canonical: event.canonical,
    digest: event.digest,
    ...(event.data === undefined ? { erased: true } : {}),
  })
  if (event.data === undefined || event.data.length === 0) return json
  return `${json.slice(0, -1)},${dataMember(event.data)}}`
}

/** The same on one line: a bare line break in JSON is white space between tokens, so a blank does. */
export const toEventLine = (event: RecordedEvent): string =>
  `${toEventJson(event).replaceAll(/[\r\n]/g, ' ')}\n`

function dataMember(data: Uint8Array): string {
  const text = jsonText(data)
  if (text === undefined) return `"data_base64":"${Buffer.from(data).toString('base64')}"`
  return `"data":${text}`
}

function jsonText(data: Uint8Array): string | undefined {
  try {
    const text = utf8.decode(data)
    JSON.parse(text)
    return text
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined
    throw error
  }
}
