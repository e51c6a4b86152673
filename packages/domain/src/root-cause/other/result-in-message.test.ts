import { answered, chunk, found, piece, pushed, sent } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

causeTable('result_in_message', [
  ['the result is in the status message only (C095)', [sent(), answered('working', { text: 'It is' }), pushed('completed', { text: 'It is done' })], 'likely 3'],
  ['beside an artifact a message is a remark', [sent(), answered('completed', { text: 'It is done', holding: [piece('42')] })], 'none'],
  ['beside a streamed artifact, too', [sent(), answered('working'), chunk('42', { lastChunk: true }), pushed('completed', { text: 'It is done' })], 'none'],
  ['completed without a word has no result to misplace', [sent(), answered('completed')], 'none'],
  ['a message that asks is no result', [sent(), answered('completed', { text: 'Please confirm the order' })], 'suspicious_completion'],
  ['of several messages one that asks is enough to have none', [sent(), answered('completed', { text: 'Please confirm the order' }), found('completed', { text: 'It is done' })], 'suspicious_completion'],
  ['failed with a message is no result', [sent(), answered('failed', { text: 'Quota exceeded' })], 'none'],
  ['the artifact of another attempt is none of this one', [sent(), answered('failed', { holding: [piece('42')] }), sent({ sentMessageId: 'm-2' }), answered('completed', { task: 't-2', text: 'It is done' })], 'likely 4'],
])
