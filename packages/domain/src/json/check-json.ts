/**
 * Whether a text is one JSON value (RFC 8259), how deep and of how many values.
 *
 * The same texts pass as with `JSON.parse`, but nothing is built: eight million characters of tiny
 * values would be millions of objects, and the event loop would wait for them. One pass, no
 * recursion; a byte of memory a level.
 */

export interface JsonLimits {
  /** Levels of objects and arrays; absent: any. */
  readonly depthMax?: number
  /** Values of all levels, without member names; absent: any. */
  readonly valuesMax?: number
}

export type JsonCheck =
  | { readonly outcome: 'ok' }
  | { readonly outcome: 'malformed'; readonly detail: string }
  | { readonly outcome: 'too-deep' }
  | { readonly outcome: 'too-many' }

const code = {
  quote: 34,
  plus: 43,
  comma: 44,
  minus: 45,
  dot: 46,
  zero: 48,
  nine: 57,
  colon: 58,
  openArray: 91,
  backslash: 92,
  closeArray: 93,
  openObject: 123,
  closeObject: 125,
} as const

/** Checks `text`; the first limit or fault that is met on the way is the answer. */
export const checkJson = (text: string, { depthMax = Infinity, valuesMax = Infinity }: JsonLimits = {}): JsonCheck => {
  const open = new Levels()
  let values = 0
  let at = skipSpace(text, 0)
  for (;;) {
    // A value begins here.
    values += 1
    if (values > valuesMax) return { outcome: 'too-many' }
    const first = text.charCodeAt(at)
    if (first === code.openObject || first === code.openArray) {
      open.push(first)
      if (open.depth > depthMax) return { outcome: 'too-deep' }
      at = skipSpace(text, at + 1)
      if (text.charCodeAt(at) !== first + 2) {
        if (first === code.openArray) continue
        at = afterName(text, at)
        if (at < 0) return malformed(text, -at - 1)
        continue
      }
    } else {
      const end = afterScalar(text, at, first)
      if (end < 0) return malformed(text, -end - 1)
      at = skipSpace(text, end)
    }
    // A value has ended, or the container that is closed here.
    for (;;) {
      const container = open.top
      if (container === 0) return at === text.length ? { outcome: 'ok' } : malformed(text, at)
      const next = text.charCodeAt(at)
      if (next === container + 2) {
        open.pop()
        at = skipSpace(text, at + 1)
        continue
      }
      if (next !== code.comma) return malformed(text, at)
      at = skipSpace(text, at + 1)
      if (container === code.openArray) break
      at = afterName(text, at)
      if (at < 0) return malformed(text, -at - 1)
      break
    }
  }
}

/** The containers that are open: what each began with. */
class Levels {
  #kinds = new Uint8Array(64)
  depth = 0

  get top(): number {
    return this.depth === 0 ? 0 : (this.#kinds[this.depth - 1] ?? 0)
  }

  push(kind: number): void {
    if (this.depth === this.#kinds.length) {
      const wider = new Uint8Array(this.#kinds.length * 2)
      wider.set(this.#kinds)
      this.#kinds = wider
    }
    this.#kinds[this.depth] = kind
    this.depth += 1
  }

  pop(): void {
    this.depth -= 1
  }
}

const malformed = (text: string, at: number): JsonCheck => ({
  outcome: 'malformed',
  detail: at >= text.length ? 'it ends too early' : `unexpected ${JSON.stringify(text.charAt(at))} at position ${at}`,
})

const skipSpace = (text: string, from: number): number => {
  let at = from
  for (;;) {
    const character = text.charCodeAt(at)
    if (character !== 32 && character !== 10 && character !== 13 && character !== 9) return at
    at += 1
  }
}

// Below, a negative answer is a fault: -1 - the position where it is.

/** Where the value of the member starts whose name starts at `start`. */
const afterName = (text: string, start: number): number => {
  if (text.charCodeAt(start) !== code.quote) return -1 - start
  const end = afterString(text, start)
  if (end < 0) return end
  const colon = skipSpace(text, end)
  return text.charCodeAt(colon) === code.colon ? skipSpace(text, colon + 1) : -1 - colon
}

const afterScalar = (text: string, start: number, first: number): number => {
  if (first === code.quote) return afterString(text, start)
  if (first === code.minus || (first >= code.zero && first <= code.nine)) return afterNumber(text, start)
  for (const literal of ['true', 'false', 'null']) if (text.startsWith(literal, start)) return start + literal.length
  return -1 - start
}

const afterString = (text: string, start: number): number => {
  for (let at = start + 1; ; at += 1) {
    const character = text.charCodeAt(at)
    if (character === code.quote) return at + 1
    if (character === code.backslash) {
      at += 1
      const escaped = text.charAt(at)
      if (escaped === 'u') {
        if (!/^[0-9a-fA-F]{4}$/.test(text.slice(at + 1, at + 5))) return -1 - at
        at += 4
      } else if (escaped === '' || !'"\\/bfnrt'.includes(escaped)) return -1 - at
    } else if (!(character >= 32)) return -1 - at
  }
}

const afterNumber = (text: string, start: number): number => {
  const whole = text.charCodeAt(start) === code.minus ? start + 1 : start
  let at = text.charCodeAt(whole) === code.zero ? whole + 1 : afterDigits(text, whole)
  if (at < 0) return at
  if (text.charCodeAt(at) === code.dot) at = afterDigits(text, at + 1)
  if (at < 0 || (text.charCodeAt(at) | 32) !== 101) return at
  const sign = text.charCodeAt(at + 1)
  return afterDigits(text, sign === code.plus || sign === code.minus ? at + 2 : at + 1)
}

/** At least one. */
const afterDigits = (text: string, start: number): number => {
  let at = start
  for (;;) {
    const character = text.charCodeAt(at)
    if (!(character >= code.zero && character <= code.nine)) return at === start ? -1 - start : at
    at += 1
  }
}
