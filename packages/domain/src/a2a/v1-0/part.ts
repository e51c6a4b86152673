/** v1.0 Part (§4.1.6): exactly one of `text`, `raw`, `url`, `data` on the part itself. */
import { compactText } from '../../json/canonical-json.ts'
import type { JsonValue } from '../../json/document.ts'
import type { PartContent } from '../reading.ts'

/**
 * The contents a part holds in v1.0 members, in the order of the proto. An empty string or `null`
 * is what a serialiser writes for an unset sibling: it is a content only where it stands alone.
 */
export const contentsOfPart = (part: JsonValue): readonly PartContent[] => {
  const found: PartContent[] = []
  const text = part.get('text')?.string
  if (text !== undefined) found.push({ kind: 'text', text })
  const raw = part.get('raw')?.string
  if (raw !== undefined) found.push({ kind: 'raw', base64: raw })
  const url = part.get('url')?.string
  if (url !== undefined) found.push({ kind: 'url', url })
  const data = part.get('data')
  if (data !== undefined) found.push({ kind: 'data', json: compactText(data) })
  return found
}
