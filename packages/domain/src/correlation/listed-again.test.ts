import { expect, test } from 'vitest'
import { isListedAgainWorthRecording } from './listed-again.ts'

const newest = { position: 7, digest: 'same', isDerived: true, witnessMs: 1_000_000 }
const listed = { digest: 'same', witnessMs: 1_060_000 }

test.each([
  ['the same a minute later is no news', listed, newest, 0, false],
  ['the same more than a minute later is a sign of life', { ...listed, witnessMs: 1_060_001 }, newest, 0, true],
  ['the same, seen earlier than the last, is no news', { ...listed, witnessMs: 990_000 }, newest, 0, false],
  ['other bytes are news', { ...listed, digest: 'other' }, newest, 0, true],
  ['a task never seen is news', listed, undefined, 0, true],
  ['anything else seen of the task in between makes it news', listed, { ...newest, isDerived: false }, 0, true],
  ['erased bytes cannot be compared', listed, { position: 7, isDerived: true, witnessMs: 1_000_000 }, 0, true],
  ['a restart in between makes it news', listed, newest, 8, true],
  ['a restart before the last sign of life does not', listed, newest, 6, false],
] as const)('L13: %s', (_, entry, last, restartPosition, isWorthRecording) => {
  expect(isListedAgainWorthRecording(entry, last, restartPosition)).toBe(isWorthRecording)
})
