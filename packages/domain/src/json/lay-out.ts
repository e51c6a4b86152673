/**
 * The tape of a JSON text: three integers a value, in the order of the text.
 *
 * Cell 0 is where the value starts, cell 1 where it ends, cell 2 the number of the entry that follows
 * its subtree. A string with escapes has its end negated, so that nobody looks for them again. A
 * member is two entries, name and value. The text is known to be
 * well-formed, so nothing is checked a second time.
 */
import { losesPrecision } from './number.ts'
import { decodeString, endOfString } from './string-token.ts'

/** Cells of one entry. */
export const tapeWidth = 3

const duplicatesMax = 100

/** Deeper than any text that is read; such a path would cost more than it says. */
const pathStepsMax = 64

/** Names of one object that are compared pair by pair; more go through a set. */
const namesComparedMax = 12

/** A member name that one object has more than once; `path` leads to the object. */
export interface JsonDuplicate {
  readonly path: readonly (string | number)[]
  readonly name: string
}

export interface Layout {
  readonly tape: Int32Array
  /** At most 100 of them, in order of appearance. */
  readonly duplicates: readonly JsonDuplicate[]
  readonly hasImpreciseNumber: boolean
}

class Tape {
  #cells = new Int32Array(96)
  size = 0

  push(start: number, end: number): void {
    const at = this.size * tapeWidth
    if (at + tapeWidth > this.#cells.length) {
      const wider = new Int32Array(this.#cells.length * 2)
      wider.set(this.#cells)
      this.#cells = wider
    }
    this.size += 1
    this.#cells[at] = start
    this.#cells[at + 1] = end
    this.#cells[at + 2] = this.size
  }

  close(entry: number, end: number): void {
    this.#cells[entry * tapeWidth + 1] = end
    this.#cells[entry * tapeWidth + 2] = this.size
  }

  start(entry: number): number {
    return this.#cells[entry * tapeWidth] ?? 0
  }

  end(entry: number): number {
    return Math.abs(this.#cells[entry * tapeWidth + 1] ?? 0)
  }

  isEscaped(entry: number): boolean {
    return (this.#cells[entry * tapeWidth + 1] ?? 0) < 0
  }

  after(entry: number): number {
    return this.#cells[entry * tapeWidth + 2] ?? 0
  }

  cells(): Int32Array {
    return this.#cells.slice(0, this.size * tapeWidth)
  }
}

/** Lays out a well-formed text. */
export const layOut = (text: string): Layout => {
  const tape = new Tape()
  const open: number[] = []
  const duplicates: JsonDuplicate[] = []
  let hasImpreciseNumber = false
  let backslash = text.indexOf('\\')
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at)
    if (code === 123 || code === 91) {
      open.push(tape.size)
      tape.push(at, at)
      at += 1
    } else if (code === 125 || code === 93) {
      at += 1
      const entry = open.at(-1) ?? 0
      tape.close(entry, at)
      if (code === 125) addDuplicates(duplicates, text, tape, open)
      open.pop()
    } else if (code === 34) {
      const end = endOfString(text, at)
      if (backslash >= 0 && backslash < at) backslash = text.indexOf('\\', at)
      tape.push(at, backslash > at && backslash < end ? -end : end)
      at = end
    } else if (code === 44 || code === 58 || code <= 32) {
      at += 1
    } else {
      const end = endOfLiteral(text, at)
      tape.push(at, end)
      if (code <= 57) hasImpreciseNumber ||= losesPrecision(text.slice(at, end))
      at = end
    }
  }
  return { tape: tape.cells(), duplicates, hasImpreciseNumber }
}

/** Index just after a number, `true`, `false` or `null`. */
const endOfLiteral = (text: string, start: number): number => {
  let end = start
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end)
    if (code === 44 || code === 93 || code === 125 || code <= 32) break
  }
  return end
}

const nameAt = (text: string, tape: Tape, entry: number): string =>
  decodeString(text.slice(tape.start(entry), tape.end(entry)))

/** Adds the repeated names of the object that was closed last. */
const addDuplicates = (
  duplicates: JsonDuplicate[],
  text: string,
  tape: Tape,
  open: readonly number[],
): void => {
  if (open.length > pathStepsMax) return
  const object = open.at(-1) ?? 0
  const names: number[] = []
  for (let entry = object + 1; entry < tape.size; entry = tape.after(entry + 1)) names.push(entry)
  const isRepeated =
    names.length <= namesComparedMax
      ? isRepeatedAmongFew(text, tape)
      : isRepeatedAmongMany(text, tape)
  for (const [n, entry] of names.entries()) {
    if (isRepeated(names, n) && duplicates.length < duplicatesMax) {
      duplicates.push({ path: pathTo(text, tape, open), name: nameAt(text, tape, entry) })
    }
  }
}

type IsRepeated = (names: readonly number[], n: number) => boolean

const isRepeatedAmongFew =
  (text: string, tape: Tape): IsRepeated =>
  (names, n) => {
    for (let before = 0; before < n; before += 1) {
      if (isSameName(text, tape, names[before] ?? 0, names[n] ?? 0)) return true
    }
    return false
  }

const isRepeatedAmongMany = (text: string, tape: Tape): IsRepeated => {
  const seen = new Set<string>()
  return (names, n) => {
    const name = nameAt(text, tape, names[n] ?? 0)
    const isSeen = seen.has(name)
    seen.add(name)
    return isSeen
  }
}

const isSameName = (text: string, tape: Tape, one: number, other: number): boolean => {
  if (tape.isEscaped(one) || tape.isEscaped(other)) {
    return nameAt(text, tape, one) === nameAt(text, tape, other)
  }
  const start = tape.start(one)
  const length = tape.end(one) - start
  if (length !== tape.end(other) - tape.start(other)) return false
  return text.startsWith(text.slice(start, start + length), tape.start(other))
}

/** The steps from the root to the innermost open container. */
const pathTo = (text: string, tape: Tape, open: readonly number[]): (string | number)[] =>
  open.slice(1).map((child, depth) => {
    const parent = open[depth] ?? 0
    if (text.charCodeAt(tape.start(parent)) === 123) return nameAt(text, tape, child - 1)
    let step = 0
    for (let entry = parent + 1; entry < child; entry = tape.after(entry)) step += 1
    return step
  })
