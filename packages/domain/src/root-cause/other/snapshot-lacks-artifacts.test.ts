import { answered, chunk, found, piece, pushed, sent } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

const begun = [sent(), answered('working')]

causeTable('snapshot_lacks_artifacts', [
  ['a streamed artifact is missing in the snapshot (C102)', [...begun, chunk('done', { lastChunk: true }), found('working')], 'strong 3, 4'],
  ['an artifact of one snapshot is missing in the next (C175)', [sent(), answered('canceled', { holding: [piece('partial')] }), found('canceled')], 'strong 2, 3'],
  ['one of two is missing', [...begun, found('working', { holding: [piece('x'), piece('y', { artifactId: 'a-2', index: 1 })] }), found('working', { holding: [piece('y', { artifactId: 'a-2' })] })], 'strong 3, 4'],
  ['it comes back, the gap stays a finding', [...begun, chunk('done'), found('working'), found('working', { holding: [piece('done')] })], 'strong 3, 4'],
  ['the snapshot has it', [...begun, chunk('done'), found('working', { holding: [piece('done')] })], 'none'],
  ['a snapshot from before the artifact cannot have it', [...begun, chunk('done')], 'none'],
  ['a listing may leave artifacts out', [...begun, chunk('done'), found('working', { operation: 'ListTasks' })], 'none'],
  ['a status update has no artifacts to lack', [...begun, chunk('done'), pushed('working')], 'none'],
])
