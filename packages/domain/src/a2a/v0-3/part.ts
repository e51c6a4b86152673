/** v0.3 FilePart (§6.5.2) and its release-candidate and proto spellings. */
import type { JsonValue } from '../../json/document.ts'
import type { PartContent } from '../reading.ts'
import type { Reader } from '../reader.ts'

const bytesNames = ['bytes', 'fileWithBytes'] as const
const uriNames = ['uri', 'fileWithUri'] as const

/**
 * The contents of a `file` object: v0.3 `bytes`/`uri`, v1.0-rc and v0.3 proto
 * `fileWithBytes`/`fileWithUri`, also where they stand on the part itself (`isFile` false). `data`
 * inside `file` is a slip of the v0.2 samples (noted).
 */
export const contentsOfFile = (
  reader: Reader,
  holder: JsonValue,
  isFile: boolean,
): readonly PartContent[] => {
  const found: PartContent[] = []
  for (const name of bytesNames) {
    const base64 = reader.member(holder, name)?.string
    if (base64 !== undefined && base64 !== '') found.push({ kind: 'raw', base64 })
  }
  for (const name of uriNames) {
    const url = reader.member(holder, name)?.string
    if (url !== undefined && url !== '') found.push({ kind: 'url', url })
  }
  const slip = found.length === 0 && isFile ? holder.get('data')?.string : undefined
  if (slip === undefined) return found
  reader.note('wire_alias_used')
  return [{ kind: 'raw', base64: slip }]
}
