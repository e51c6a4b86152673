/**
 * A JSON text with the exact place of each value in it.
 *
 * `JSON.parse` alone is not enough here: it drops duplicate members, rounds numbers and forgets
 * where a value stood, and all three are evidence (L9, L11). So the text is parsed once for
 * well-formedness and then laid out on a flat tape of three integers a value: where it starts,
 * where it ends, and which entry follows its subtree. Members are two entries, name and value.
 *
 * Worst case: linear time, 12 bytes a value and a name, no recursion; deeper than 64 levels or
 * malformed text is refused before anything is built.
 */
import { losesPrecision } from './number.ts'
import { decodeString, endOfString } from './string-token.ts'

/** Levels of nesting that are read; deeper input is refused (issue: bad input, depth 1,000). */
export const depthMax = 64

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null'

/** Half-open range of UTF-16 code units in the text. */
export interface JsonSpan {
  readonly start: number
  readonly end: number
}

/** A member name that one object has more than once; `path` leads to the object. */
export interface JsonDuplicate {
  readonly path: readonly (string | number)[]
  readonly name: string
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
  | { readonly outcome: 'too-deep'; readonly detail: string }

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

const width = 3
const duplicatesMax = 100

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
    return this.#tape[this.#at * width + 1] ?? 0
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
    if (this.kind !== 'string') return undefined
    return decodeString(this.raw)
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
      yield { name: decodeString(this.#slice(at)), value: new JsonValue(this.#text, this.#tape, at + 1) }
    }
  }

  /** The items of an array in order; empty for any other kind. */
  *items(): IterableIterator<JsonValue> {
    if (this.kind !== 'array') return
    for (let at = this.#at + 1; at < this.#after(this.#at); at = this.#after(at)) {
      yield new JsonValue(this.#text, this.#tape, at)
    }
  }

  /** True for `{}` and `[]`. */
  get isEmpty(): boolean {
    return this.#after(this.#at) === this.#at + 1 && (this.kind === 'object' || this.kind === 'array')
  }

  /** Every value of this name, in order; more than one when the name is duplicated. */
  all(name: string): readonly JsonValue[] {
    const found: JsonValue[] = []
    if (this.kind !== 'object') return found
    for (let at = this.#at + 1; at < this.#after(this.#at); at = this.#after(at + 1)) {
      if (this.#isNamed(at, name)) found.push(new JsonValue(this.#text, this.#tape, at + 1))
    }
    return found
  }

  /** The value of this name; the last one wins, as in `JSON.parse`. */
  get(name: string): JsonValue | undefined {
    return this.all(name).at(-1)
  }

  #after(at: number): number {
    return this.#tape[at * width + 2] ?? 0
  }

  #slice(at: number): string {
    return this.#text.slice(this.#tape[at * width], this.#tape[at * width + 1])
  }

  #isNamed(at: number, name: string): boolean {
    const start = this.#tape[at * width] ?? 0
    const end = this.#tape[at * width + 1] ?? 0
    if (end - start === name.length + 2 && this.#text.startsWith(name, start + 1)) return true
    const raw = this.#text.slice(start, end)
    return raw.includes('\\') && decodeString(raw) === name
  }
}

const isTooDeep = (text: string): boolean => {
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 34) at = endOfString(text, at) - 1
    else if (code === 123 || code === 91) {
      depth += 1
      if (depth > depthMax) return true
    } else if (code === 125 || code === 93) depth -= 1
  }
  return false
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'not JSON')

/**
 * Reads one JSON text, strictly (RFC 8259), and keeps where every value stood.
 *
 * Errors: value `malformed` (also for the empty text) or `too-deep`. Never throws.
 */
export const scanJson = (text: string): ScanResult => {
  if (isTooDeep(text)) {
    return { outcome: 'too-deep', detail: `nested deeper than ${depthMax} levels` }
  }
  try {
    JSON.parse(text)
  } catch (error) {
    return { outcome: 'malformed', detail: reasonOf(error).slice(0, 200) }
  }
  return { outcome: 'ok', document: layOut(text) }
}

class Tape {
  #cells = new Int32Array(96)
  #length = 0

  get size(): number {
    return this.#length
  }

  push(start: number, end: number): number {
    if ((this.#length + 1) * width > this.#cells.length) {
      const wider = new Int32Array(this.#cells.length * 2)
      wider.set(this.#cells)
      this.#cells = wider
    }
    const at = this.#length
    this.#cells[at * width] = start
    this.#cells[at * width + 1] = end
    this.#cells[at * width + 2] = at + 1
    this.#length += 1
    return at
  }

  close(at: number, end: number): void {
    this.#cells[at * width + 1] = end
    this.#cells[at * width + 2] = this.#length
  }

  cells(): Int32Array {
    return this.#cells.subarray(0, this.#length * width)
  }
}

interface Open {
  readonly at: number
  /** Names seen so far in an object; absent in an array. */
  readonly names?: Set<string>
  /** The step of the path inside this container: the member's name or the item's number. */
  step: string | number
  isNameNext: boolean
}

const layOut = (text: string): JsonDocument => {
  const tape = new Tape()
  const open: Open[] = []
  const duplicates: JsonDuplicate[] = []
  let hasImpreciseNumber = false
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at)
    const parent = open.at(-1)
    if (code === 123 || code === 91) {
      open.push({
        at: tape.push(at, at),
        ...(code === 123 ? { names: new Set<string>() } : {}),
        step: 0,
        isNameNext: code === 123,
      })
      at += 1
    } else if (code === 125 || code === 93) {
      at += 1
      if (parent !== undefined) tape.close(parent.at, at)
      open.pop()
    } else if (code === 34) {
      const end = endOfString(text, at)
      tape.push(at, end)
      if (parent?.names !== undefined && parent.isNameNext) {
        const name = decodeString(text.slice(at, end))
        if (parent.names.has(name) && duplicates.length < duplicatesMax) {
          duplicates.push({ path: open.slice(0, -1).map((each) => each.step), name })
        }
        parent.names.add(name)
        parent.step = name
        parent.isNameNext = false
      }
      at = end
    } else if (code === 44) {
      if (parent?.names !== undefined) parent.isNameNext = true
      else if (parent !== undefined) parent.step = Number(parent.step) + 1
      at += 1
    } else if (code === 58 || code <= 32) {
      at += 1
    } else {
      const end = endOfLiteral(text, at)
      tape.push(at, end)
      if (code === 45 || code <= 57) {
        hasImpreciseNumber ||= losesPrecision(text.slice(at, end))
      }
      at = end
    }
  }
  const root = new JsonValue(text, tape.cells(), 0)
  return { text, root, duplicates, hasImpreciseNumber }
}

const endOfLiteral = (text: string, start: number): number => {
  let end = start
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end)
    if (code === 44 || code === 93 || code === 125 || code <= 32) break
  }
  return end
}
