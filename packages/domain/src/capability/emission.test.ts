import { describe, expect, it } from 'vitest'
import { answered, card, found, piece, sent, taskAfter, type Line } from '../testing/history.ts'

const text = { holding: [piece('x')] }
const plain = { outputModes: ['text/plain'] }
const json = { outputModes: ['application/json'], essenceDigest: 'essence 2' }

/** `<by> <position of the card>: advertised, negotiated` of the only artifact. */
const judged = (lines: readonly Line[]): string =>
  (taskAfter(lines).artifacts[0]?.canonical.judgedBy ?? [])
    .map(
      ({ by, cardPosition, isAdvertised, isNegotiated }) =>
        `${by} ${cardPosition}: ${isAdvertised ? 'advertised' : 'not advertised'}${isNegotiated === undefined ? '' : isNegotiated ? ', negotiated' : ', not negotiated'}`,
    )
    .join('; ')

describe('F19 an artifact is judged by two cards', () => {
  it.each<[string, readonly Line[], string]>([
    ['F19 the card did not change in between', [card({ at: 0, ...plain }), sent({ at: 1 }), answered('completed', { at: 2, ...text })], 'emission 1: advertised; dispatch 1: advertised'],
    ['F19 it changed between the send and the emission', [card({ at: 0, ...plain }), sent({ at: 1 }), answered('working', { at: 2 }), card({ at: 3, ...json }), found('completed', { at: 4, ...text })], 'emission 4: not advertised; dispatch 1: advertised'],
    ['F19 the sender had an older card than others had fetched', [card({ at: 0, ...json }), card({ at: 1, by: 'poller', ...plain }), sent({ at: 2 }), answered('completed', { at: 3, ...text })], 'emission 2: advertised; dispatch 1: not advertised'],
    ['F19 of a sender that fetched none the card in force counts', [card({ at: 0, by: 'poller', ...plain }), sent({ at: 2 }), answered('completed', { at: 3, ...text })], 'emission 1: advertised; dispatch 1: advertised'],
    ['F19 a card fetched after the emission judges nothing', [sent({ at: 1 }), answered('completed', { at: 2, ...text }), card({ at: 3, ...plain })], ''],
    ['F19 what nobody saw being sent is judged by the emission alone', [card({ at: 0, ...plain }), found('completed', { at: 2, ...text })], 'emission 1: advertised'],
    ['F19 what the client accepts counts with both', [card({ at: 0, ...plain }), sent({ at: 1, acceptedModes: ['text/*'] }), answered('working', { at: 2 }), card({ at: 3, ...json }), found('completed', { at: 4, ...text })], 'emission 4: not advertised, not negotiated; dispatch 1: advertised, negotiated'],
  ])('%s', (_fact, lines, expected) => {
    expect(judged(lines)).toBe(expected)
  })

  it.each<[string, readonly Line[], string]>([
    ['V1 the violation says that the sender relied on another card', [card({ at: 0, ...plain }), sent({ at: 1 }), answered('working', { at: 2 }), card({ at: 3, ...json }), found('completed', { at: 4, ...text })], "text/plain is outside the card's application/json. The card that the sender had (position 1) offers it."],
    ['V1 or that neither card offers it', [card({ at: 0, outputModes: ['image/png'] }), sent({ at: 1 }), answered('working', { at: 2 }), card({ at: 3, ...json }), found('completed', { at: 4, ...text })], "text/plain is outside the card's application/json. The card that the sender had (position 1) does not offer it either."],
    ['V1 where both are the same card it says nothing of it', [card({ at: 0, ...json }), sent({ at: 1 }), answered('completed', { at: 2, ...text })], "text/plain is outside the card's application/json."],
  ])('%s', (_fact, lines, detail) => {
    expect(taskAfter(lines).violations.map((violation) => violation.detail)).toEqual([detail])
  })
})
