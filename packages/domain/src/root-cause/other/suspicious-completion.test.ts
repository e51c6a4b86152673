import { answered, chunk, messaged, piece, pushed, sent } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

const asks = 'Approval required before I can run delete_rows. Approve or reject?'

causeTable('suspicious_completion', [
  ['completed without an artifact, asking for approval (C078)', [sent(), answered('completed', { text: asks })], 'likely 2'],
  ['the question came with a later report of the end', [sent(), pushed('completed'), answered('completed', { text: asks })], 'likely 3'],
  ['with an artifact in the snapshot', [sent(), answered('completed', { text: asks, holding: [piece('42')] })], 'none'],
  ['with an artifact on the stream', [sent(), answered('working'), chunk('42'), pushed('completed', { text: asks })], 'none'],
  ['a plain result', [sent(), answered('completed', { text: 'It is done' })], 'result_in_message'],
  ['a worker that asks and waits does it right', [sent(), answered('input-required', { text: asks })], 'waiting_for_input'],
  ['a message as the whole answer is an artifact', [sent(), messaged(asks)], 'none'],
])
