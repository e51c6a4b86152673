/**
 * What is collected while one payload is read: notes, marks of a version, the first refusal.
 *
 * Reading goes on after a refusal and its result is thrown away at the end, so no reader function
 * needs to throw or to hand errors up.
 */
import type { JsonValue } from '../json/document.ts'
import type { QuarantineReason } from '../error.ts'
import type { ContinuityClaim, PushConfigReading, Reading, ReadingNote } from './reading.ts'
import { excerpt } from './excerpt.ts'
import { snakeOf } from './snake.ts'
import { isVersionTold, toldVersion, type VersionMark } from './version.ts'

/** What the envelope says about a payload (contract §2). */
export interface ReadContext {
  readonly type: string
  readonly operation?: string
  readonly protocolVersion?: string
  readonly binding?: string
  readonly httpStatus?: number
  /** The envelope's `taskid`: the server task the call was about. */
  readonly taskId?: string
}

export interface Refusal {
  readonly reason: QuarantineReason
  readonly detail: string
}

type DraftOf<R> = R extends Reading
  ? Omit<R, 'protocolVersion' | 'isVersionTold' | 'notes' | 'claim' | 'metadata' | 'pushConfigs'>
  : never

/** Bounds of the metadata that is kept for the rules of a mesh: objects, and characters of each. */
const metadataMax = 16
const metadataLengthMax = 65_536
const metadataNamesMax = 50
const metadataNameLengthMax = 256

/** A reading without what only the whole payload tells: version, notes, claim, metadata, configurations. */
export type Draft = DraftOf<Reading>

/** Entries that are read of one list: a hundred times what a page of ListTasks may hold. */
export const entriesMax = 10_000

/** True for an id the ledger can keep: 1..1024 characters, none of them control, well-formed. */
export const isUsableId = (id: string): boolean => /^[^\p{Cc}\p{Surrogate}]{1,1024}$/u.test(id)

export class Reader {
  readonly context: ReadContext
  readonly #notes = new Set<ReadingNote>()
  readonly #marks = new Set<VersionMark>()
  readonly pushConfigs: PushConfigReading[] = []
  #refusal: Refusal | undefined
  #claim: ContinuityClaim | undefined
  readonly #metadata: string[] = []

  constructor(context: ReadContext) {
    this.context = context
  }

  get refusal(): Refusal | undefined {
    return this.#refusal
  }

  get claim(): ContinuityClaim | undefined {
    return this.#claim
  }

  get notes(): readonly ReadingNote[] {
    return [...this.#notes]
  }

  get marks(): ReadonlySet<VersionMark> {
    return this.#marks
  }

  note(...notes: readonly ReadingNote[]): void {
    for (const each of notes) this.#notes.add(each)
  }

  mark(version: VersionMark): void {
    this.#marks.add(version)
  }

  /** The first refusal stands. */
  refuse(reason: QuarantineReason, detail: string): void {
    this.#refusal ??= { reason, detail }
  }

  /** The first claim found stands. */
  offerClaim(claim: ContinuityClaim): void {
    this.#claim ??= claim
  }

  /** The text of one metadata object; those beyond the bounds are not offered to rules. */
  offerMetadata(json: string): void {
    if (this.#metadata.length < metadataMax && json.length <= metadataLengthMax) this.#metadata.push(json)
  }

  /**
   * The value of a member by its camelCase name, else by its snake_case name (noted).
   * `null` is absent; of duplicates the last wins.
   */
  member(object: JsonValue | undefined, name: string): JsonValue | undefined {
    const value = object?.get(name)
    if (value !== undefined && !value.isNull) return value
    const snake = snakeOf(name)
    const alias = snake === name ? undefined : object?.get(snake)
    if (alias === undefined || alias.isNull) return undefined
    this.note('wire_alias_used')
    return alias
  }

  /**
   * The same for a member that decides what the payload says: a duplicate, or two spellings that
   * disagree, make the payload ambiguous (contract §2; case C147).
   */
  deciding(object: JsonValue | undefined, name: string): JsonValue | undefined {
    const snake = snakeOf(name)
    const own = object?.count(name) ?? 0
    const alias = snake === name ? 0 : (object?.count(snake) ?? 0)
    if (own > 1 || alias > 1) {
      this.refuse('data_ambiguous', `member ${name} stands there more than once`)
    } else if (own === 1 && alias === 1 && object?.get(name)?.raw !== object?.get(snake)?.raw) {
      this.refuse('data_ambiguous', `members ${name} and ${snake} disagree`)
    }
    return this.member(object, name)
  }

  /** A deciding string; the empty string is absent, any other kind too. */
  word(object: JsonValue | undefined, name: string): string | undefined {
    const text = this.deciding(object, name)?.string
    return text === '' ? undefined : text
  }

  /** A plain string, for people: at most `lengthMax` characters; empty is absent. */
  text(object: JsonValue | undefined, name: string, lengthMax = 1024): string | undefined {
    const text = this.member(object, name)?.string
    return text === undefined || text === '' ? undefined : excerpt(text, lengthMax)
  }

  /** An id; a number is taken as its digits (noted), an unusable string refuses the payload. */
  id(object: JsonValue | undefined, name: string): string | undefined {
    const value = this.deciding(object, name)
    if (value?.kind === 'number') {
      this.note('wire_alias_used')
      return this.#usable(value.raw, name)
    }
    const text = value?.string
    return text === undefined || text === '' ? undefined : this.#usable(text, name)
  }

  #usable(id: string, name: string): string | undefined {
    if (isUsableId(id)) return id
    this.refuse('id_invalid', `${name} is over 1,024 characters or has characters no id may have`)
    return undefined
  }

  /** The items of an array; a longer one than is read refuses the payload, which is kept whole then. */
  entries(list: JsonValue | undefined): readonly JsonValue[] {
    const entries: JsonValue[] = []
    for (const item of list?.items() ?? []) {
      if (entries.length === entriesMax) {
        this.refuse('data_malformed', `a list has more than ${entriesMax} entries`)
        return []
      }
      entries.push(item)
    }
    return entries
  }

  /** Strings of an array member, in order; other items are left out. */
  strings(object: JsonValue | undefined, name: string): readonly string[] | undefined {
    const value = this.member(object, name)
    if (value?.kind !== 'array') return undefined
    return this.entries(value).flatMap((item) => (item.string === undefined ? [] : [item.string]))
  }

  /** The objects of an array member, in order; other items are left out. */
  objects(object: JsonValue | undefined, name: string): readonly JsonValue[] {
    return this.entries(this.member(object, name)).filter((item) => item.kind === 'object')
  }

  /** Names of the members of its `metadata`, in order, each once; absent where it has none. */
  metadataNames(object: JsonValue | undefined): readonly string[] | undefined {
    const metadata = this.member(object, 'metadata')
    if (metadata?.kind !== 'object') return undefined
    const names = new Set<string>()
    for (const { name } of metadata.members()) {
      if (names.size === metadataNamesMax) break
      names.add(excerpt(name, metadataNameLengthMax))
    }
    return names.size === 0 ? undefined : [...names]
  }

  /** The draft with what was collected on the way. */
  finish(draft: Draft): Reading {
    const protocolVersion = toldVersion(this.#marks, this.context)
    return {
      ...draft,
      ...(protocolVersion === undefined ? {} : { protocolVersion }),
      ...(isVersionTold(this.#marks, this.context) ? { isVersionTold: true as const } : {}),
      notes: this.notes,
      ...(this.#claim === undefined ? {} : { claim: this.#claim }),
      ...(this.#metadata.length === 0 ? {} : { metadata: this.#metadata }),
      ...(this.pushConfigs.length === 0 ? {} : { pushConfigs: this.pushConfigs }),
    }
  }
}
