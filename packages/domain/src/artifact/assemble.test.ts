import { describe, expect, it } from 'vitest'
import { answered, chunk, found, inputOf, piece, pushed, streamed, type Line } from '../testing/history.ts'
import { isSign } from '../task/attempt.ts'
import { assembleArtifacts } from './assemble.ts'

/** What each chunk said, by the digest of it. */
const texts = ['one', 'two', 'three', 'four', 'uno', 'one two', 'one two three', 'x', '']
const textOf = new Map(texts.map((text) => [piece(text).digest, text]))

/** Every artifact as its stretches, sealed or not, who disputes it; then the violations. */
const assembled = (lines: readonly Line[]): string => {
  const { assemblies, violations } = assembleArtifacts(inputOf(lines).facts.filter(isSign))
  const artifacts = assemblies.map(({ identity, stretches, isSealed, disputedBy }) => {
    const content = stretches.map(({ piece: { digest } }) => textOf.get(digest) ?? '?').join('+')
    return `${identity}: ${content}${isSealed ? '.' : ''}${disputedBy.length > 0 ? ` disputed by ${disputedBy.join()}` : ''}`
  })
  return [...artifacts, ...violations.map(({ code }) => code)].join(' | ')
}
const more = { append: true }
const last = { append: true, lastChunk: true }

describe('F18 chunks of one witness', () => {
  it.each<[string, readonly Line[], string]>([
    ['F18 chunks are put together in order of witness time', [chunk('one', { at: 1 }), chunk('three', { at: 3, ...more }), chunk('two', { at: 2, ...more })], 'a-1: one+two+three'],
    ['F18 equal times leave it to the position', [chunk('one', { at: 1 }), chunk('two', { at: 2, ...more }), chunk('three', { at: 2, ...more })], 'a-1: one+two+three'],
    ['F18 a sequence orders before time', [chunk('one', { at: 1, streamId: 's', sequence: '1' }), chunk('three', { at: 2, streamId: 's', sequence: '10', ...more }), chunk('two', { at: 3, streamId: 's', sequence: '2', ...more })], 'a-1: one+two+three'],
    ['F18 the same chunk delivered twice at one place of the stream is one chunk', [chunk('one', { at: 1, streamId: 's', sequence: '1' }), chunk('two', { at: 2, streamId: 's', sequence: '2', ...last }), chunk('two', { at: 3, streamId: 's', sequence: '2', ...last })], 'a-1: one+two.'],
    ['F18 the same words at the next place are a chunk of their own', [chunk('one', { at: 1, streamId: 's', sequence: '1' }), chunk('one', { at: 2, streamId: 's', sequence: '2', ...more })], 'a-1: one+one'],
    ['F18 another stream counts its places anew', [chunk('one', { at: 1, streamId: 's', sequence: '1' }), chunk('one', { at: 2, streamId: 'r', sequence: '1', ...more })], 'a-1: one+one'],
    ['F18 lastChunk seals it', [chunk('one', { at: 1 }), chunk('two', { at: 2, ...last })], 'a-1: one+two.'],
    ['F18 one chunk may be first and last', [chunk('one', { lastChunk: true })], 'a-1: one.'],
    ['F18 a later stream of that witness goes on where the former ended', [chunk('one', { at: 1, streamId: 's' }), chunk('two', { at: 2, streamId: 'r', ...last })], 'a-1: one+two.'],
    ['F18 a later stream that opens with append:false starts anew', [chunk('one', { at: 1, streamId: 's' }), chunk('uno', { at: 2, streamId: 'r' }), chunk('two', { at: 3, streamId: 'r', ...more })], 'a-1: uno+two'],
    ['F18 what it starts anew replaces a longer and sealed version of that witness', [chunk('one', { at: 1, streamId: 's' }), chunk('two', { at: 2, streamId: 's', ...last }), chunk('uno', { at: 3, streamId: 'r' })], 'a-1: uno'],
    ['F18 of two streams at once the one that saw more counts', [chunk('one', { at: 1, streamId: 's' }), chunk('two', { at: 2, streamId: 's', ...last }), chunk('one', { at: 3, streamId: 'r' })], 'a-1: one+two.'],
    ['F18 a later stream that opens with a snapshot goes on from the snapshot', [chunk('one', { at: 1, streamId: 's' }), streamed('working', { at: 2, streamId: 'r', form: 'snapshot', holding: [piece('one two')] }), chunk('three', { at: 3, streamId: 'r', ...more })], 'a-1: one two+three'],
    ['F18 append:false replaces what was there', [chunk('one', { at: 1 }), chunk('two', { at: 2, ...more }), chunk('uno', { at: 3 })], 'a-1: uno'],
    ['F18 append:false unseals it', [chunk('one', { at: 1, lastChunk: true }), chunk('uno', { at: 2 })], 'a-1: uno'],
    ['F18 two artifacts of one stream are kept apart', [chunk('one', { at: 1 }), chunk('uno', { at: 2, artifact: { artifactId: 'a-2' } }), chunk('two', { at: 3, ...more })], 'a-1: one+two | a-2: uno'],
    ['F17 within one attempt the same name is no reason to put two ids together', [chunk('one', { at: 1, artifact: { name: 'report' } }), chunk('uno', { at: 2, artifact: { artifactId: 'a-2', name: 'report' } })], 'a-1: one | a-2: uno'],
  ])('%s', (_fact, lines, artifacts) => {
    expect(assembled(lines)).toBe(artifacts)
  })
})

describe('F18 two witnesses', () => {
  const gateway = { by: 'gateway' }
  it.each<[string, readonly Line[], string]>([
    ['F18 two witnesses of one stream are never added up', [chunk('one', { at: 1 }), chunk('one', { at: 1.1, ...gateway }), chunk('two', { at: 2, ...more }), chunk('two', { at: 2.1, ...gateway, ...more })], 'a-1: one+two'],
    ['F18 the sealed version counts, also when it is shorter', [chunk('one', { at: 1, lastChunk: true }), chunk('one', { at: 1.1, ...gateway }), chunk('two', { at: 2.1, ...gateway, ...more })], 'a-1: one. disputed by gateway'],
    ['F18 of unsealed versions the longest counts', [chunk('one', { at: 1 }), chunk('one', { at: 1.1, ...gateway }), chunk('two', { at: 2.1, ...gateway, ...more })], 'a-1: one+two'],
    ['F18 a witness that saw less and no end does not disagree', [chunk('one', { at: 1 }), chunk('two', { at: 2, ...last }), chunk('one', { at: 1.1, ...gateway })], 'a-1: one+two.'],
    ['F18 two sealed versions of different length disagree, and that is shown', [chunk('one', { at: 1 }), chunk('two', { at: 2, ...last }), chunk('one', { at: 1.1, lastChunk: true, ...gateway })], 'a-1: one+two. disputed by gateway'],
    ['F18 two versions of one length and other content disagree, and that is shown', [chunk('one', { at: 1 }), chunk('two', { at: 2, ...last }), chunk('uno', { at: 1.1, ...gateway }), chunk('two', { at: 2.1, ...gateway, ...last })], 'a-1: one+two. disputed by gateway'],
    ['F18 chunks of another size are no disagreement by themselves', [chunk('one two', { at: 1, lastChunk: true }), chunk('one', { at: 1.1, ...gateway }), chunk('x', { at: 2.1, ...gateway, append: true, artifact: { bytes: 4 }, lastChunk: true })], 'a-1: one two.'],
    ['F18 a witness that joins late appends to what others saw begin: nothing unknown', [chunk('one', { at: 1 }), chunk('two', { at: 2, ...more }), chunk('two', { at: 2.1, ...gateway, ...more })], 'a-1: one+two'],
  ])('%s', (_fact, lines, artifacts) => {
    expect(assembled(lines)).toBe(artifacts)
  })
})

describe('F18 snapshots', () => {
  it.each<[string, readonly Line[], string]>([
    ['F18 a snapshot overrides the artifacts that it contains', [chunk('one', { at: 1 }), chunk('two', { at: 2, ...more }), found('working', { at: 3, holding: [piece('one two three')] })], 'a-1: one two three'],
    ['F18 it deletes none that it lacks', [chunk('one', { at: 1 }), found('completed', { at: 3, holding: [piece('uno', { artifactId: 'a-2' })] })], 'a-1: one | a-2: uno'],
    ['F18 an empty snapshot deletes nothing', [chunk('one', { at: 1, lastChunk: true }), found('completed', { at: 3 })], 'a-1: one.'],
    ['F18 a list leaves artifacts out: it deletes nothing', [chunk('one', { at: 1 }), found('working', { at: 3, operation: 'ListTasks' })], 'a-1: one'],
    ['F18 it unseals nothing, and ends no artifact', [chunk('one', { at: 1, lastChunk: true }), chunk('uno', { at: 2, artifact: { artifactId: 'a-2' } }), found('working', { at: 3, operation: 'ListTasks' }), chunk('two', { at: 4, artifact: { artifactId: 'a-2' }, ...more })], 'a-1: one. | a-2: uno+two'],
    ['F18 it is a base for the appends of the stream that is open', [chunk('one', { at: 1 }), found('working', { at: 2, by: 'poller', holding: [piece('one two')] }), chunk('three', { at: 3, ...more })], 'a-1: one two+three'],
    ['F18 it is a base for the appends of another witness', [found('working', { at: 2, holding: [piece('one two')] }), chunk('three', { at: 3, by: 'gateway', ...more })], 'a-1: one two+three'],
    ['F18 a snapshot that holds less than was sealed unseals it', [chunk('one', { at: 1 }), chunk('two', { at: 2, ...last }), found('working', { at: 3, holding: [piece('one')] })], 'a-1: one'],
    ['F18 a snapshot that holds as much as was sealed keeps the seal', [chunk('one', { at: 1, lastChunk: true }), found('working', { at: 3, holding: [piece('one')] })], 'a-1: one.'],
    ['F18 an id repeated in one snapshot is concatenated', [found('completed', { at: 1, holding: [piece('one'), piece('two', { index: 1, at: 1 })] })], 'a-1: one+two'],
    ['F18 pushed snapshots are snapshots', [chunk('one', { at: 1 }), pushed('working', { at: 2, form: 'snapshot', holding: [piece('one two')] })], 'a-1: one two'],
    ['F17 where the version has no ids the index tells artifacts apart', [found('completed', { at: 1, holding: [{ ...piece('one'), artifactId: undefined, index: 0 }, { ...piece('two'), artifactId: undefined, index: 1, at: 1 }].map(({ artifactId: _none, ...rest }) => rest) })], '#0: one | #1: two'],
  ])('%s', (_fact, lines, artifacts) => {
    expect(assembled(lines)).toBe(artifacts)
  })

  it('F18 a snapshot takes no name away', () => {
    const lines = [chunk('one', { at: 1, artifact: { name: 'report' } }), found('working', { at: 2, holding: [piece('one two')] })]
    expect(assembleArtifacts(inputOf(lines).facts.filter(isSign)).assemblies[0]?.name).toBe('report')
  })
})

describe('F18 what breaks the order of chunks', () => {
  it.each<[string, readonly Line[], string]>([
    ['F18 append:true to an unknown artifact starts it and is flagged', [chunk('two', { at: 1, ...more }), chunk('three', { at: 2, ...more })], 'a-1: two+three | artifact_append_to_unknown'],
    ['F18 after lastChunk data is appended and flagged', [chunk('one', { at: 1, lastChunk: true }), chunk('two', { at: 2, ...more })], 'a-1: one+two. | artifact_sealed'],
    ['F18 an empty chunk after lastChunk is no data', [chunk('one', { at: 1, lastChunk: true }), chunk('', { at: 2, ...last })], 'a-1: one+.'],
    ['F18 a new revision after lastChunk is no data after it', [chunk('one', { at: 1, lastChunk: true }), chunk('uno', { at: 2, lastChunk: true })], 'a-1: uno.'],
    ['F18 an artifact after the end that the same witness saw is flagged', [pushed('completed', { at: 2 }), chunk('one', { at: 3, by: 'webhook' })], 'a-1: one | artifact_after_terminal'],
    ['F18 two clocks are never compared', [pushed('completed', { at: 2 }), chunk('one', { at: 3, by: 'gateway' })], 'a-1: one'],
    ['F18 an artifact seen before the end is none, whenever it was recorded', [pushed('completed', { at: 5 }), chunk('one', { at: 3, by: 'webhook' })], 'a-1: one'],
    ['F18 a snapshot after the end is no artifact after the end', [found('completed', { at: 2 }), found('completed', { at: 3, holding: [piece('one')] })], 'a-1: one'],
    ['F18 an answer that is terminal is an end as well', [answered('failed', { at: 2 }), chunk('one', { at: 3 })], 'a-1: one | artifact_after_terminal'],
  ])('%s', (_fact, lines, artifacts) => {
    expect(assembled(lines)).toBe(artifacts)
  })
})
