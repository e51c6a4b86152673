import { answered, card, found, ms, piece, sent } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

const aged = card({ at: 0, maxAgeMs: 300_000, outputModes: ['application/json'] })

/** The last of four fetches that brought it, of which the first and the last are kept. */
const refetched = card({ at: 900, maxAgeMs: 300_000, outputModes: ['application/json'], run: { firstPosition: 1, firstMs: ms(0), count: 4 } })

causeTable('card_stale', [
  ['sent on a card that had run out (C172)', [aged, sent({ at: 1_000 })], 'strong 1, 2'],
  ['and what came of it breaks the card', [aged, sent({ at: 1_000 }), answered('completed', { at: 1_010, holding: [piece('x')] })], 'strong 1, 2, 3'],
  ['sent in time, the emission is judged by a card that had run out', [aged, sent({ at: 100 }), answered('completed', { at: 1_010, holding: [piece('x')] })], 'strong 1, 3'],
  ['within its lifetime', [aged, sent({ at: 300 })], 'none'],
  ['a second beyond it', [aged, sent({ at: 301 })], 'strong 1, 2'],
  ['fetched again', [aged, card({ at: 900, maxAgeMs: 300_000 }), sent({ at: 1_000 })], 'none'],
  ['within a run of fetches it was fetched often enough', [aged, refetched, sent({ at: 700 })], 'none'],
  ['after the run it runs out', [aged, refetched, sent({ at: 1_300 })], 'strong 2, 3'],
  ['fetched again at that very moment', [aged, card({ at: 1_000, maxAgeMs: 300_000 }), sent({ at: 1_000 })], 'none'],
  ['a card that states no lifetime has none (C173)', [card({ at: 0 }), sent({ at: 1_000 })], 'none'],
  ['no card at all', [sent({ at: 1_000 })], 'none'],
  ['a violation that no card judges needs none', [aged, sent({ at: 100 }), answered('working', { at: 101 }), found('submitted', { at: 1_010 })], 'none'],
  ['a late emission that keeps the contract needs no card', [aged, sent({ at: 100 }), answered('working', { at: 1_010 })], 'none'],
])
