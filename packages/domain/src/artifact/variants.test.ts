import { describe, expect, it } from 'vitest'
import {
  answered,
  card,
  chunk,
  enrolled,
  found,
  missed,
  piece,
  pushed,
  sent,
  taskAfter,
  type Line,
} from '../testing/history.ts'
import type { Piece } from '../fact/fact.ts'
import type { ArtifactAnalysis, TaskAnalysis, VariantAnalysis } from '../task/analysis.ts'

const modes = { acceptedModes: ['application/json'] }
const json = { mediaTypes: ['application/json'] }
/** An attempt at w1 and one at w2, both at work. */
const two = (told: Parameters<typeof sent>[0] = {}): readonly Line[] => [
  sent({ at: 0, ...told }),
  answered('working', { at: 1 }),
  sent({ at: 20, worker: 'w2', sentMessageId: 'm-2', ...told }),
  answered('working', { at: 21, worker: 'w2', task: 't-2', messageId: 'm-2' }),
]
const first = (state: 'working' | 'completed' | 'failed', holding: readonly Piece[], at = 30): Line => found(state, { at, holding })
const second = (state: 'working' | 'completed' | 'failed', holding: readonly Piece[], at = 40): Line =>
  found(state, { at, worker: 'w2', task: 't-2', holding })

const nameless = (text: string, told: Partial<Piece> = {}): Piece => {
  const { artifactId: _none, ...rest } = piece(text, told)
  return rest
}

describe('F17 which artifacts are the same', () => {
  /** The key is that of the canonical variant: of the attempt at w2, which is the current one. */
  const keysOf = ({ artifacts }: TaskAnalysis): string =>
    artifacts.map(({ key, variants }: ArtifactAnalysis) => `${key} x${variants.length + 1}`).join(', ')
  const held = (mine: readonly Piece[], other: readonly Piece[]): readonly Line[] => [...two(), first('working', mine), second('working', other)]
  it.each<[string, readonly Line[], string]>([
    ['F17 the same artifact id is the same artifact', held([piece('one')], [piece('two')]), 'a-1 x2'],
    ['F17 other ids and the same name are the same artifact', held([piece('one', { name: 'report' })], [piece('two', { artifactId: 'a-7', name: 'report' })]), 'a-7 x2'],
    ['F17 other ids, no names and the same place are the same artifact', held([piece('one')], [piece('two', { artifactId: 'a-7' })]), 'a-7 x2'],
    ['F17 other ids and other names are two artifacts', held([piece('one', { name: 'report' })], [piece('two', { artifactId: 'a-7', name: 'invoice' })]), 'a-1 x1, a-7 x1'],
    ['F17 the id comes before the name', held([piece('one', { name: 'report' }), piece('x', { artifactId: 'a-2', name: 'invoice', index: 1, at: 1 })], [piece('two', { artifactId: 'a-2', name: 'report' })]), 'a-1 x1, a-2 x2'],
    ['F17 the name comes before the place', held([piece('one', { name: 'report' }), piece('x', { artifactId: 'a-2', name: 'invoice', index: 1, at: 1 })], [piece('two', { artifactId: 'b-1', name: 'invoice' })]), 'a-1 x1, b-1 x2'],
    ['F17 artifacts without ids match by their index', held([nameless('one'), nameless('x', { index: 1, at: 1 })], [nameless('two'), nameless('y', { index: 1, at: 1 })]), '#0 x2, #1 x2'],
    ['F17 within one attempt the same name makes no variants', [...two(), first('working', [piece('one', { name: 'report' }), piece('two', { artifactId: 'a-2', name: 'report', index: 1, at: 1 })])], 'a-1 x1, a-2 x1'],
    ['F17 one artifact of one attempt takes part once', held([piece('one')], [piece('two', { artifactId: 'b-1' }), piece('three', { artifactId: 'b-2', index: 1, at: 1 })]), 'b-1 x2, b-2 x1'],
  ])('%s', (_fact, lines, keys) => {
    expect(keysOf(taskAfter(lines))).toBe(keys)
  })

  it('F17 an artifact without id and name is known by its ordinal', () => {
    expect(taskAfter([...two(), first('working', [nameless('one')])]).artifacts[0]?.key).toBe('#0')
  })
})

describe('F17 which variant is canonical', () => {
  const workerOf = ({ workerId }: VariantAnalysis): string => workerId
  const choice = ({ artifacts: [artifact] }: TaskAnalysis): string =>
    artifact === undefined ? 'none' : [workerOf(artifact.canonical), ...artifact.variants.map(({ workerId, because }) => `${workerId} because ${because}`)].join(', ')
  const trusted = (worker: string, at = -9): readonly Line[] => [
    card({ at: -10, worker, outputModes: ['text/plain', 'application/json'] }),
    enrolled({ trust: 'card' }, { at, worker }),
  ]
  it.each<[string, readonly Line[], string]>([
    ['F17 complete comes before incomplete, whatever the media type', [...two(modes), first('working', [piece('one', json)]), second('completed', [piece('two')])], 'w2, w1 because it is incomplete'],
    ['F17 then the media type inside the negotiated contract', [...two(modes), first('failed', [piece('one')]), second('failed', [piece('two', json)])], 'w2, w1 because its media type text/plain is outside the negotiated application/json'],
    ['F17 the contract comes before the canonical attempt', [...two(modes), first('failed', [piece('one', json)]), second('completed', [piece('two')])], 'w1, w2 because its media type text/plain is outside the negotiated application/json'],
    ['F17 then the verified modes', [...trusted('w2'), ...two(), first('failed', [piece('one')]), second('failed', [piece('two')])], 'w2, w1 because its media type was never verified for that worker'],
    ['F17 the verified modes come before the canonical attempt', [...trusted('w1'), ...two(), first('failed', [piece('one')]), second('completed', [piece('two')])], 'w1, w2 because its media type was never verified for that worker'],
    ['F17 then the canonical attempt', [...two(), first('failed', [piece('one')]), second('completed', [piece('two')])], 'w2, w1 because it is not from the canonical attempt'],
    ['F17 then the earliest', [...two(), sent({ at: 25, worker: 'w3', sentMessageId: 'm-3' }), answered('completed', { at: 26, worker: 'w3', task: 't-3', messageId: 'm-3' }), second('failed', [piece('two')], 40), first('failed', [piece('one')], 30)], 'w1, w2 because it came later'],
    ['F17 earliest by when it was emitted, not by when that was recorded', [...two(), sent({ at: 25, worker: 'w3', sentMessageId: 'm-3' }), answered('completed', { at: 26, worker: 'w3', task: 't-3', messageId: 'm-3' }), first('failed', [piece('one')], 50), second('failed', [piece('two')], 45)], 'w2, w1 because it came later'],
    ['F17 where no contract is known every media type is inside', [...two(), first('completed', [piece('one', json)]), second('completed', [piece('two')])], 'w1, w2 because it is not from the canonical attempt'],
    ['F2 trust given after the emission verifies nothing of it', [...two(), first('failed', [piece('one')]), second('completed', [piece('two')]), ...trusted('w1', 60)], 'w2, w1 because it is not from the canonical attempt'],
    ['F2 a card fetched after the emission promises nothing for it', [enrolled({ trust: 'card' }), ...two(), first('failed', [piece('one')]), second('completed', [piece('two')]), card({ at: 60 })], 'w2, w1 because it is not from the canonical attempt'],
    ['F2 a card changed since is judged as it was at the emission', [...trusted('w1'), card({ at: 60, outputModes: [], essenceDigest: 'essence 2' }), ...two(), first('failed', [piece('one')]), second('completed', [piece('two')])], 'w1, w2 because its media type was never verified for that worker'],
  ])('%s', (_fact, lines, expected) => {
    expect(choice(taskAfter(lines))).toBe(expected)
  })
})

describe('F17 complete', () => {
  it.each<[string, readonly Line[], boolean]>([
    ['F17 sealed by lastChunk', [chunk('one', { lastChunk: true })], true],
    ['F17 one chunk without an end', [chunk('one')], false],
    ['F17 in a snapshot of a terminal task', [found('failed', { holding: [piece('one')] })], true],
    ['F17 in a snapshot of a task at work', [found('working', { holding: [piece('one')] })], false],
    ['F17 its attempt completed', [chunk('one'), pushed('completed')], true],
    ['F17 its attempt failed without showing it again', [chunk('one'), pushed('failed')], false],
    ['F17 a chunk after the terminal snapshot makes it open again', [found('failed', { at: 1, holding: [piece('one')] }), chunk('two', { at: 2, append: true })], false],
    ['F17 its attempt is lost', [chunk('one'), missed()], false],
  ])('%s', (_fact, lines, isComplete) => {
    expect(taskAfter(lines).artifacts[0]?.canonical.complete).toBe(isComplete)
  })
})

describe('F17 divergent', () => {
  it.each<[string, readonly Piece[], readonly Piece[], boolean]>([
    ['F17 the same content twice is no divergence', [piece('one')], [piece('one')], false],
    ['F17 other content is one', [piece('one')], [piece('two')], true],
    ['F17 another media type is one', [piece('one')], [piece('one', json)], true],
  ])('%s', (_fact, mine, other, isDivergent) => {
    expect(taskAfter([...two(), first('completed', mine), second('completed', other)]).artifacts[0]?.divergent).toBe(isDivergent)
  })
})
