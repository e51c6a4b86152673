/** `generation` of A2A v1.1 (§3.2.7): a counter from 1 on, which moves with every change of a task. */
import type { JsonValue } from '../../json/document.ts'

/** The generation an object states; an int64 may be a string in ProtoJSON, and 0 is how a server without it answers. */
export const generationOf = (object: JsonValue): number | undefined => {
  const value = object.get('generation')
  const number = value?.number ?? (/^\d{1,15}$/.test(value?.string ?? '') ? Number(value?.string) : undefined)
  return number !== undefined && Number.isSafeInteger(number) && number >= 1 ? number : undefined
}
