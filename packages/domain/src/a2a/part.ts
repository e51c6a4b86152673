/** One part of a message or an artifact, in any version's shape (C137–C139). */
import { essenceOf, parseMediaType } from '../media-type/media-type.ts'
import type { JsonValue } from '../json/document.ts'
import { dataUriOf } from './data-uri.ts'
import { excerpt } from './excerpt.ts'
import type { PartContent, PartReading } from './reading.ts'
import type { Reader } from './reader.ts'
import { discriminatorName } from './v0-1/names.ts'
import { contentsOfFile } from './v0-3/part.ts'
import { contentsOfPart } from './v1-0/part.ts'

/** In order of precedence where a part has several (C139). */
const mediaTypeNames = ['mediaType', 'mimeType', 'contentType'] as const

const impliedTypes = {
  text: 'text/plain',
  data: 'application/json',
  raw: 'application/octet-stream',
  url: 'application/octet-stream',
} as const

const contentKinds: Readonly<Record<string, readonly PartContent['kind'][]>> = {
  text: ['text'],
  data: ['data'],
  file: ['raw', 'url'],
}

/** Reads one item of a `parts` list; what is no object is a part without content. */
export const partOf = (reader: Reader, item: JsonValue): PartReading => {
  const root = item.get('root')
  const part = root?.kind === 'object' ? root : item
  const kind = discriminatorOf(reader, part)
  const file = part.get('file')?.kind === 'object' ? part.get('file') : undefined
  const stated = statedType(reader, file === undefined ? [part] : [part, file])
  const content = contentOf(reader, part, file, kind)
  if (kind === undefined) markKindless(reader, file, content)
  if (content.kind === 'url') return linkedPart(reader, content.url, stated)
  if (stated !== undefined) return { content, mediaType: stated, mediaTypeImplied: false }
  const implied = content.kind === 'none' ? impliedByKind(kind) : impliedTypes[content.kind]
  return { content, mediaType: implied, mediaTypeImplied: true }
}

/** `raw` and `url` on the part are v1.0's alone; a `file` object without a kind is v0.3's proto. */
const markKindless = (reader: Reader, file: JsonValue | undefined, content: PartContent): void => {
  if (file !== undefined) reader.mark('0.3')
  else if (content.kind === 'raw' || content.kind === 'url') reader.mark('1.0')
  else if (content.kind !== 'none') reader.mark('kind-less')
}

const impliedByKind = (kind: string | undefined): string =>
  kind === 'text' || kind === 'data' ? impliedTypes[kind] : impliedTypes.raw

const discriminatorOf = (reader: Reader, part: JsonValue): string | undefined => {
  const kind = part.get('kind')?.string?.toLowerCase()
  if (kind !== undefined && Object.hasOwn(contentKinds, kind)) {
    reader.mark('0.3')
    return kind
  }
  const type = part.get(discriminatorName)?.string?.toLowerCase()
  if (type === undefined || !Object.hasOwn(contentKinds, type)) return undefined
  reader.mark('0.1')
  return type
}

/** True for what a serialiser writes where a oneof sibling is not set. */
const isBlank = (content: PartContent): boolean =>
  (content.kind === 'text' && content.text === '') ||
  (content.kind === 'raw' && content.base64 === '') ||
  (content.kind === 'url' && content.url === '') ||
  (content.kind === 'data' && content.json === 'null')

const contentOf = (
  reader: Reader,
  part: JsonValue,
  file: JsonValue | undefined,
  kind: string | undefined,
): PartContent => {
  const own = contentsOfPart(part)
  const all = [...own, ...contentsOfFile(reader, file ?? part, file !== undefined)]
  const filled = all.filter((each) => !isBlank(each))
  if (filled.length > 1) reader.note('content_ambiguous')
  const candidates = filled.length > 0 ? filled : all
  const wanted = kind === undefined ? undefined : contentKinds[kind]
  return candidates.find((each) => wanted?.includes(each.kind)) ?? candidates[0] ?? { kind: 'none' }
}

const statedType = (reader: Reader, holders: readonly JsonValue[]): string | undefined => {
  const values = holders.flatMap((holder) =>
    mediaTypeNames.flatMap((name) => {
      const value = reader.member(holder, name)?.string
      return value === undefined || value.trim() === '' ? [] : [excerpt(essenceOf(value), 256)]
    }),
  )
  if (new Set(values).size > 1) reader.note('content_ambiguous')
  return values[0]
}

/** A `data:` URI carries its content and its type; any other URL is only a reference. */
const linkedPart = (reader: Reader, url: string, stated: string | undefined): PartReading => {
  const inline = dataUriOf(url)
  const told = inline === undefined ? undefined : parseMediaType(inline.mediaType)?.essence
  if (stated !== undefined && told !== undefined && stated !== told)
    reader.note('content_ambiguous')
  return {
    content: inline?.content ?? { kind: 'url', url },
    mediaType: stated ?? told ?? impliedTypes.url,
    mediaTypeImplied: stated === undefined && told === undefined,
  }
}
