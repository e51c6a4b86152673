import type { Piece } from '../../fact/fact.ts'
import { answered, card, chunk, found, messaged, ms, piece, sent, type World } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

const json = { mediaTypes: ['application/json'] }
const holding = (mediaTypes: readonly string[], told = {}) => ({ holding: [piece('x', { mediaTypes, ...told })] })
const unnamed = (told = {}): Piece => {
  const { artifactId: _none, ...rest } = piece('x', told)
  return rest
}
const emitted = (skill: string | undefined, at: number): World => ({
  known: { w1: { emissions: [{ ...json, position: 99, atMs: ms(at), ...(skill !== undefined && { skill }) }] } },
})
const begun = [card({ at: 0 }), sent({ at: 1 })]

causeTable('media_type_drift', [
  ['one artifact is JSON, then text, under one card', [...begun, answered('working', holding(['application/json'])), found('working', holding(['text/plain']))], 'strong 3, 4'],
  ['a streamed artifact is replaced by another type', [...begun, answered('working'), chunk('x', { artifact: json }), chunk('x')], 'strong 4, 5'],
  ['two attempts of one worker differ on one artifact', [...begun, answered('failed', holding(['application/json'])), sent({ sentMessageId: 'm-2', at: 9 }), answered('completed', { task: 't-2', at: 10, ...holding(['text/plain']) })], 'strong 3, 5'],
  ['the skill emitted another type in an earlier task', [card({ at: -9 }), sent(), answered('completed', holding(['text/plain']))], emitted('write', -5), 'strong 3, 99'],
  ['two workers may differ', [...begun, card({ worker: 'w2', at: 0 }), answered('failed', holding(['application/json'])), sent({ worker: 'w2' }), answered('completed', { worker: 'w2', ...holding(['text/plain']) })], 'none'],
  ['under a changed card nothing drifts', [...begun, answered('working', holding(['application/json'])), card({ essenceDigest: 'essence 2' }), found('working', holding(['text/plain']))], 'none'],
  ['without a card nothing was promised', [sent(), answered('working', holding(['application/json'])), found('working', holding(['text/plain']))], 'none'],
  ['an artifact that grows by another type does not drift', [...begun, answered('working', holding(['application/json'])), found('working', holding(['application/json', 'text/plain']))], 'none'],
  ['a chunk of another type is appended, not changed', [...begun, answered('working'), chunk('x', { artifact: json }), chunk('x', { append: true })], 'none'],
  ['two artifacts may have two types', [...begun, answered('working', holding(['application/json'])), found('working', { holding: [piece('x', json), piece('x', { artifactId: 'a-2', index: 1 })] })], 'none'],
  ['another skill may emit another type', [card({ at: -9 }), sent(), answered('completed', holding(['text/plain']))], emitted('draw', -5), 'none'],
  ['a skill that nobody knows is no skill', [card({ at: -9, skills: [] }), sent(), answered('completed', holding(['text/plain']))], emitted(undefined, -5), 'none'],
  ['the same type stays the same', [...begun, answered('working', holding(['text/plain'])), found('working', holding(['text/plain']))], 'none'],
  ['a message beside the artifacts is none of them', [...begun, answered('working', holding(['application/json'], { artifactId: 'a-1' })), messaged('x', { task: 't-1', channel: 'update', artifact: { mediaTypes: ['text/plain'] } })], 'none'],
  ['artifacts without an id are told apart by name', [...begun, answered('working', { holding: [unnamed({ name: 'one', ...json })] }), found('working', { holding: [unnamed({ name: 'two' })] })], 'none'],
  ['artifacts of one name are one', [...begun, answered('working', { holding: [unnamed({ name: 'one', ...json })] }), found('working', { holding: [unnamed({ name: 'one' })] })], 'strong 3, 4'],
  ['artifacts without id and name are told apart by place', [...begun, answered('working', { holding: [unnamed({ index: 0, ...json })] }), found('working', { holding: [unnamed({ index: 1 })] })], 'none'],
  ['one of several types that stays is no drift', [...begun, answered('working', holding(['application/json', 'text/plain'])), found('working', holding(['text/plain']))], 'none'],
  ['an artifact without any type has none to change', [...begun, answered('working', holding(['application/json'])), found('working', holding([]))], 'none'],
  ['one that had no type yet has none to change either', [...begun, answered('working', holding([])), found('working', holding(['application/json']))], 'none'],
  ['what the skill emits at the same moment is not earlier', [card({ at: -9 }), sent({ at: 1 }), answered('completed', { at: 5, ...holding(['text/plain']) })], emitted('write', 5), 'none'],
  ['what the skill emits later is not earlier', [card({ at: -9 }), sent({ at: 1 }), answered('completed', { at: 5, ...holding(['text/plain']) })], emitted('write', 6), 'none'],
  ['the skill that the client named', [card({ at: -9, skills: [{ id: 'write' }, { id: 'draw' }] }), sent({ skill: 'draw' }), answered('completed', holding(['text/plain']))], emitted('draw', -5), 'strong 3, 99'],
  ['another skill than the client named', [card({ at: -9, skills: [{ id: 'write' }, { id: 'draw' }] }), sent({ skill: 'draw' }), answered('completed', holding(['text/plain']))], emitted('write', -5), 'none'],
  ['a skill that was named to another worker is none of this one', [card({ at: -9, skills: [{ id: 'write' }, { id: 'draw' }] }), sent(), answered('completed', holding(['text/plain'])), sent({ worker: 'w2', skill: 'draw', sentMessageId: 'm-2' }), answered('working', { worker: 'w2', messageId: 'm-2' })], emitted('draw', -5), 'none'],
  ['the last skill that was named stays where a later message names none', [card({ at: -9, skills: [{ id: 'write' }, { id: 'draw' }] }), sent({ skill: 'draw' }), answered('working'), sent({ naming: 't-1', sentMessageId: 'm-2' }), answered('completed', { messageId: 'm-2', ...holding(['text/plain']) })], emitted('draw', -5), 'strong 5, 99'],
])
