import { expect, test } from 'vitest'
import { isListedAgainWorthRecording } from './listed-again.ts'

const newest = { position: 7, digest: 'same', isDerived: true, witnessMs: 1_000_000 }
const listed = { digest: 'same', witnessMs: 1_060_000 }
/** An answer to a send or to GetTask; its bytes never are those of a listing. */
const answer = { position: 7, digest: 'an answer', isDerived: false, witnessMs: 1_000_000, shown: { state: 'working', contextId: 'c-1' } } as const
const bare = { ...listed, shown: { state: 'working', contextId: 'c-1', isBare: true } } as const

test.each([
  ['the same a minute later is no news', listed, newest, 0, false],
  ['the same more than a minute later is a sign of life', { ...listed, witnessMs: 1_060_001 }, newest, 0, true],
  ['the same, seen earlier than the last, is no news', { ...listed, witnessMs: 990_000 }, newest, 0, false],
  ['other bytes are news', { ...listed, digest: 'other' }, newest, 0, true],
  ['a task never seen is news', listed, undefined, 0, true],
  ['anything else seen of the task in between makes it news', listed, { ...newest, isDerived: false }, 0, true],
  ['the state that an answer to a send showed a minute before is no news', bare, answer, 0, false],
  ['the state that an answer showed longer ago is a sign of life', { ...bare, witnessMs: 1_060_001 }, answer, 0, true],
  ['another state than the answer showed is news', { ...bare, shown: { ...bare.shown, state: 'completed' } }, answer, 0, true],
  ['another context than the answer showed is news', { ...bare, shown: { ...bare.shown, contextId: 'c-2' } }, answer, 0, true],
  ['an entry that leaves the context out says nothing new', { ...bare, shown: { state: 'working', isBare: true } }, answer, 0, false],
  ['an entry with a message or an artifact may say something new', { ...bare, shown: { ...bare.shown, isBare: false } }, answer, 0, true],
  ['after a restart the state that an answer showed before is news', bare, answer, 8, true],
  ['erased bytes cannot be compared', listed, { position: 7, isDerived: true, witnessMs: 1_000_000 }, 0, true],
  ['a restart in between makes it news', listed, newest, 8, true],
  ['a restart before the last sign of life does not', listed, newest, 6, false],
] as const)('L13: %s', (_, entry, last, restartPosition, isWorthRecording) => {
  expect(isListedAgainWorthRecording(entry, last, restartPosition)).toBe(isWorthRecording)
})
