import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

/** What an orchestrator finds of its former life; `undefined` in its first one. */
export function readNotes<Notes>(file: string): Notes | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Notes) : undefined
}

/** Replaces the notes in one step: a kill leaves the old ones or the new ones, never half. */
export function writeNotes(file: string, notes: object): void {
  writeFileSync(`${file}.new`, JSON.stringify(notes, null, 2))
  renameSync(`${file}.new`, file)
}
