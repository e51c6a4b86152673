import { answered, chunk, found, piece, pushed, sent } from '../../testing/history.ts'
import type { Piece } from '../../fact/fact.ts'
import { causeTable } from '../../testing/cause-table.ts'

const begun = [sent(), answered('working')]
/** An artifact without an id. */
const nameless = (text: string, told: Partial<Piece>): Piece => {
  const { artifactId: _none, ...rest } = piece(text, told)
  return rest
}

causeTable('snapshot_lacks_artifacts', [
  ['a streamed artifact is missing in the snapshot (C102)', [...begun, chunk('done', { lastChunk: true }), found('working')], 'strong 3, 4'],
  ['an artifact of one snapshot is missing in the next (C175)', [sent(), answered('canceled', { holding: [piece('partial')] }), found('canceled')], 'strong 2, 3'],
  ['one of two is missing', [...begun, found('working', { holding: [piece('x'), piece('y', { artifactId: 'a-2', index: 1 })] }), found('working', { holding: [piece('y', { artifactId: 'a-2' })] })], 'strong 3, 4'],
  ['it comes back, the gap stays a finding', [...begun, chunk('done'), found('working'), found('working', { holding: [piece('done')] })], 'strong 3, 4'],
  ['the snapshot has it', [...begun, chunk('done'), found('working', { holding: [piece('done')] })], 'none'],
  ['a snapshot from before the artifact cannot have it', [...begun, chunk('done')], 'none'],
  ['another one in its place is not the same', [...begun, found('working', { holding: [piece('x')] }), found('working', { holding: [piece('y', { artifactId: 'a-2' })] })], 'strong 3, 4'],
  ['without an id an artifact goes by its name', [...begun, found('working', { holding: [nameless('x', { name: 'one' })] }), found('working', { holding: [nameless('x', { name: 'two' })] })], 'strong 3, 4'],
  ['the same name is the same artifact, wherever it stands', [...begun, found('working', { holding: [nameless('x', { name: 'one' })] }), found('working', { holding: [nameless('x', { name: 'one', index: 1 })] })], 'none'],
  ['without a name either by its place', [...begun, found('working', { holding: [nameless('x', {})] }), found('working', { holding: [nameless('x', { index: 1 })] })], 'strong 3, 4'],
  ['of an artifact in several chunks the first one is named', [...begun, chunk('one'), chunk('two', { append: true }), found('working')], 'strong 3, 5'],
  ['an answer about many tasks may leave artifacts out', [...begun, chunk('done'), found('working', { derivedFrom: 3 })], 'none'],
  ['a snapshot taken out of a stream may not', [...begun, chunk('done'), found('working', { derivedFrom: 3, streamId: 's' })], 'strong 3, 4'],
  ['a listing may leave artifacts out', [...begun, chunk('done'), found('working', { operation: 'ListTasks' })], 'none'],
  ['a status update has no artifacts to lack', [...begun, chunk('done'), pushed('working')], 'none'],
])
