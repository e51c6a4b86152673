import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

/** What the naive orchestrator keeps, under the ids the worker gave. */
export type NaiveNotes = {
  readonly tasks: Record<string, NaiveTask>
  /** States each worker's card lists: fetched once, then believed for the life of the cache. */
  readonly advertised: Record<string, readonly string[]>
}
export type NaiveTask = {
  readonly workerId: string
  state: string
  because?: string
  fallback?: string
  artifacts: { readonly mediaType: string }[]
}

/** What an orchestrator finds of its former life; `undefined` in its first one. */
export function readNotes<Notes>(file: string): Notes | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Notes) : undefined
}

/** Replaces the notes in one step: a kill leaves the old ones or the new ones, never half. */
export function writeNotes(file: string, notes: object): void {
  writeFileSync(`${file}.new`, JSON.stringify(notes, null, 2))
  renameSync(`${file}.new`, file)
}
