/** `data:` URIs (RFC 2397) where a URL of a file belongs (C139). */
import type { PartContent } from './reading.ts'

export interface DataUri {
  /** As stated; `text/plain` where the URI states none. */
  readonly mediaType: string
  readonly content: PartContent
}

const decodePercent = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

/** The content inside a `data:` URI; `undefined` for another URL or one that cannot be decoded. */
export const dataUriOf = (url: string): DataUri | undefined => {
  if (!/^data:/i.test(url)) return undefined
  const comma = url.indexOf(',')
  if (comma < 0) return undefined
  const head = url.slice(5, comma)
  const isBase64 = /;\s*base64\s*$/i.test(head)
  const mediaType = head.replace(/;\s*base64\s*$/i, '') || 'text/plain'
  const body = decodePercent(url.slice(comma + 1))
  if (body === undefined) return undefined
  return {
    mediaType: mediaType.startsWith(';') ? `text/plain${mediaType}` : mediaType,
    content: isBase64 ? { kind: 'raw', base64: body } : { kind: 'text', text: body },
  }
}
