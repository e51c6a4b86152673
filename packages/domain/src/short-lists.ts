/** Lists of answers hold at most 100 entries and say how many there are (contract §4). */

export const listMax = 100

/** Beside lists that are cut: the full length of each. */
export interface Counted {
  readonly counts?: Readonly<Record<string, number>>
}

/**
 * `object` with the first 100 entries of each list it holds; `newest` names lists of which the last
 * ones matter. Where a list was longer, `counts` has its full length; lists of its members are not
 * looked at, and a length that is known already stays.
 */
export const withShortLists = <View extends object>(
  object: View,
  ...newest: readonly (keyof View)[]
): View & Counted => {
  const long = Object.entries(object).filter(([, value]) => Array.isArray(value) && value.length > listMax)
  if (long.length === 0) return object
  const isNewest = (name: string) => newest.some((each) => each === name)
  const known = 'counts' in object ? (object.counts as Counted['counts']) : {}
  return {
    ...object,
    ...Object.fromEntries(
      long.map(([name, list]) => [name, isNewest(name) ? list.slice(-listMax) : list.slice(0, listMax)]),
    ),
    counts: { ...Object.fromEntries(long.map(([name, list]) => [name, list.length])), ...known },
  }
}
