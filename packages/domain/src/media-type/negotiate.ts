/** Sets of media types and ranges held against each other (F19). */
import { essenceOf, matchesMediaRange } from './media-type.ts'

/** True when one of `ranges` covers `mode`. */
export const isModeIn = (mode: string, ranges: readonly string[]): boolean =>
  ranges.some((range) => matchesMediaRange(mode, range))

/** What is in both sets: of two that overlap the narrower one, each once, in order of `accepted`. */
export const intersectModes = (accepted: readonly string[], offered: readonly string[]): readonly string[] => {
  const common = new Set<string>()
  for (const wanted of accepted) {
    for (const given of offered) {
      if (matchesMediaRange(given, wanted)) common.add(essenceOf(given))
      else if (matchesMediaRange(wanted, given)) common.add(essenceOf(wanted))
    }
  }
  return [...common]
}
