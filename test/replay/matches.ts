/**
 * Patterns of scenario files, held against what is there.
 *
 * An object matches when each named member does; a list when each of its patterns matches some
 * element, in any order. A member that begins with `$` says how instead of what.
 */

type Pattern = unknown
type Mismatch = string | undefined

const operators: Readonly<Record<string, (wanted: Pattern, actual: unknown, at: string) => Mismatch>> = {
  $absent: (wanted, actual, at) =>
    (actual === undefined) === wanted ? undefined : `${at} is ${actual === undefined ? 'absent' : shown(actual)}`,
  $not: (wanted, actual, at) =>
    mismatch(wanted, actual, at) === undefined ? `${at} is ${shown(actual)}, which it must not be` : undefined,
  $oneOf: (wanted, actual, at) =>
    listOf(wanted).some((each) => mismatch(each, actual, at) === undefined)
      ? undefined
      : `${at} is ${shown(actual)}, none of ${shown(wanted)}`,
  $some: (wanted, actual, at) => {
    const missing = (Array.isArray(wanted) ? wanted : [wanted]).find((each) => !hasElement(actual, each))
    return missing === undefined ? undefined : `${at} has no ${shown(missing)}: ${shown(actual)}`
  },
  $none: (wanted, actual, at) => {
    const found = listOf(actual).find((each) => mismatch(wanted, each, at) === undefined)
    return found === undefined ? undefined : `${at} has ${shown(found)}`
  },
  $length: (wanted, actual, at) =>
    listOf(actual).length === wanted ? undefined : `${at} has ${listOf(actual).length} entries, not ${shown(wanted)}`,
  $minLength: (wanted, actual, at) =>
    listOf(actual).length >= Number(wanted) ? undefined : `${at} has ${listOf(actual).length} entries`,
  $contains: (wanted, actual, at) =>
    typeof actual === 'string' && actual.toLowerCase().includes(String(wanted).toLowerCase())
      ? undefined
      : `${at} is ${shown(actual)}, without ${shown(wanted)}`,
  $gte: (wanted, actual, at) =>
    typeof actual === 'number' && actual >= Number(wanted) ? undefined : `${at} is ${shown(actual)}, below ${shown(wanted)}`,
}

/** Where and how `actual` differs from `wanted`; `undefined` when it matches. */
export const mismatch = (wanted: Pattern, actual: unknown, at = '$'): Mismatch => {
  if (Array.isArray(wanted)) {
    const missing = wanted.find((each) => !hasElement(actual, each))
    return missing === undefined ? undefined : `${at} has no ${shown(missing)}: ${shown(actual)}`
  }
  if (typeof wanted !== 'object' || wanted === null) {
    return wanted === actual ? undefined : `${at} is ${shown(actual)}, not ${shown(wanted)}`
  }
  for (const [name, pattern] of Object.entries(wanted)) {
    const problem = name.startsWith('$')
      ? operatorNamed(name)(pattern, actual, at)
      : mismatch(pattern, memberOf(actual, name), `${at}.${name}`)
    if (problem !== undefined) return problem
  }
  return undefined
}

const operatorNamed = (name: string) => {
  const operator = operators[name]
  if (operator === undefined) throw new Error(`${name} is no operator of scenario patterns`)
  return operator
}

const hasElement = (list: unknown, pattern: Pattern): boolean =>
  listOf(list).some((each) => mismatch(pattern, each) === undefined)

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined

const shown = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 300)
