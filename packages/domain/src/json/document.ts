/**
 * A JSON text with the exact place of each value in it.
 *
 * `JSON.parse` alone is not enough here: it drops duplicate members, rounds numbers and forgets
 * where a value stood, and all three are evidence (L9, L11). So the text is checked once
 * (`check-json.ts`) and then laid out on a tape (`lay-out.ts`) that `JsonValue` reads on demand.
 *
 * Worst case: linear time, 12 bytes a value and a name, no recursion; text that is malformed, deeper
 * than 64 levels or of more than 500,000 values is refused before anything is built.
 */
import { checkJson, type JsonLimits } from './check-json.ts'
import { layOut, tapeWidth, type JsonDuplicate } from './lay-out.ts'
import { decodeString } from './string-token.ts'

export type { JsonDuplicate } from './lay-out.ts'

/** Levels of nesting that are read; deeper input is refused. */
export const depthMax = 64
/** Values that are read of one text: 8 MiB hold as many of 16 characters each. */
export const valuesMax = 500_000

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null'

/** Half-open range of UTF-16 code units in the text. */
export interface JsonSpan {
  readonly start: number
  readonly end: number
}

export interface JsonDocument {
  readonly text: string
  readonly root: JsonValue
  /** At most 100 of them, in order of appearance. */
  readonly duplicates: readonly JsonDuplicate[]
  /** True when some number would change its value in a double. */
  readonly hasImpreciseNumber: boolean
}

export type ScanResult =
  | { readonly outcome: 'ok'; readonly document: JsonDocument }
  | { readonly outcome: 'malformed'; readonly detail: string }
  | { readonly outcome: 'too-deep' | 'too-many'; readonly detail: string }

/** One member of an object, in the order of the text; duplicates are all there. */
export interface JsonMember {
  readonly name: string
  readonly value: JsonValue
}

const kinds: Readonly<Record<string, JsonKind>> = {
  '{': 'object',
  '[': 'array',
  '"': 'string',
  t: 'boolean',
  f: 'boolean',
  n: 'null',
}

const width = tapeWidth

/** One value of a document: a view, cheap to make, that reads the text on demand. */
export class JsonValue implements JsonSpan {
  readonly #text: string
  readonly #tape: Int32Array
  readonly #at: number

  constructor(text: string, tape: Int32Array, at: number) {
    this.#text = text
    this.#tape = tape
    this.#at = at
  }

  get start(): number {
    return this.#tape[this.#at * width] ?? 0
  }

  get end(): number {
    return Math.abs(this.#tape[this.#at * width + 1] ?? 0)
  }

  get kind(): JsonKind {
    return kinds[this.#text.charAt(this.start)] ?? 'number'
  }

  /** The value exactly as it stood in the text. */
  get raw(): string {
    return this.#text.slice(this.start, this.end)
  }

  /** The decoded string; `undefined` for any other kind. */
  get string(): string | undefined {
    return this.kind === 'string' ? this.#decoded(this.#at) : undefined
  }

  /** The number as a double; `undefined` for any other kind. */
  get number(): number | undefined {
    return this.kind === 'number' ? Number(this.raw) : undefined
  }

  get boolean(): boolean | undefined {
    return this.kind === 'boolean' ? this.raw === 'true' : undefined
  }

  get isNull(): boolean {
    return this.kind === 'null'
  }

  /** The members of an object in order, duplicates included; empty for any other kind. */
  *members(): IterableIterator<JsonMember> {
    if (this.kind !== 'object') return
    for (let at = this.#at + 1; at < this.#after(this.#at); at = this.#after(at + 1)) {
      yield {
        name: this.#decoded(at),
        value: new JsonValue(this.#text, this.#tape, at + 1),
      }
    }
  }

  /** The items of an array in order; empty for any other kind. */
  *items(): IterableIterator<JsonValue> {
    if (this.kind !== 'array') return
    for (let at = this.#at + 1; at < this.#after(this.#at); at = this.#after(at)) {
      yield new JsonValue(this.#text, this.#tape, at)
    }
  }

  /** Every object with a member in this value, itself included, in order of the text; nothing else is looked at. */
  *objects(): IterableIterator<JsonValue> {
    const end = this.#after(this.#at)
    for (let at = this.#at; at < end; at += 1) {
      const isObject = this.#text.charCodeAt(this.#tape[at * width] ?? 0) === 123
      if (isObject && this.#after(at) > at + 1) yield new JsonValue(this.#text, this.#tape, at)
    }
  }

  /** True for `{}` and `[]`. */
  get isEmpty(): boolean {
    return (
      this.#after(this.#at) === this.#at + 1 && (this.kind === 'object' || this.kind === 'array')
    )
  }

  /** Every value of this name, in order; more than one when the name is duplicated. */
  all(name: string): readonly JsonValue[] {
    const found: JsonValue[] = []
    for (let at = this.#find(name, this.#at + 1); at >= 0; at = this.#find(name, this.#after(at))) {
      found.push(new JsonValue(this.#text, this.#tape, at))
    }
    return found
  }

  /** How often the object has this name. */
  count(name: string): number {
    let count = 0
    for (let at = this.#find(name, this.#at + 1); at >= 0; at = this.#find(name, this.#after(at))) {
      count += 1
    }
    return count
  }

  /** The value of this name; the last one wins, as in `JSON.parse`. */
  get(name: string): JsonValue | undefined {
    let last = -1
    for (let at = this.#find(name, this.#at + 1); at >= 0; at = this.#find(name, this.#after(at))) {
      last = at
    }
    return last < 0 ? undefined : new JsonValue(this.#text, this.#tape, last)
  }

  /** The entry of the first value of this name whose name stands at `from` or later; -1 for none. */
  #find(name: string, from: number): number {
    const tape = this.#tape
    if (this.#text.charCodeAt(tape[this.#at * width] ?? 0) !== 123) return -1
    const end = this.#after(this.#at)
    const length = name.length + 2
    for (let at = from; at < end; at = this.#after(at + 1)) {
      const start = tape[at * width] ?? 0
      const stop = tape[at * width + 1] ?? 0
      const isNamed =
        stop < 0
          ? this.#decoded(at) === name
          : stop - start === length && this.#text.startsWith(name, start + 1)
      if (isNamed) return at + 1
    }
    return -1
  }

  #after(at: number): number {
    return this.#tape[at * width + 2] ?? 0
  }

  /** The characters of the string at an entry. */
  #decoded(at: number): string {
    const start = this.#tape[at * width] ?? 0
    const end = this.#tape[at * width + 1] ?? 0
    return end < 0
      ? decodeString(this.#text.slice(start, -end))
      : this.#text.slice(start + 1, end - 1)
  }
}

const byteOrderMark = '\uFEFF'

/**
 * Reads one JSON text, strictly (RFC 8259), and keeps where every value stood.
 *
 * Shape: a mark of the byte order before it is passed over (§8.1), as every client that reads bodies does.
 * Errors: value `malformed` (also for the empty text), `too-deep` or `too-many`, whichever is met
 * first. Never throws.
 */
export const scanJson = (text: string, limits: JsonLimits = { depthMax, valuesMax }): ScanResult => {
  const json = text.startsWith(byteOrderMark) ? ` ${text.slice(1)}` : text
  const check = checkJson(json, limits)
  switch (check.outcome) {
    case 'malformed':
      return { outcome: 'malformed', detail: `not JSON: ${check.detail}` }
    case 'too-deep':
      return { outcome: 'too-deep', detail: `nested deeper than ${depthMax} levels` }
    case 'too-many':
      return { outcome: 'too-many', detail: `more than ${valuesMax} values` }
    case 'ok':
  }
  const { tape, duplicates, hasImpreciseNumber } = layOut(json)
  const root = new JsonValue(json, tape, 0)
  return { outcome: 'ok', document: { text, root, duplicates, hasImpreciseNumber } }
}
