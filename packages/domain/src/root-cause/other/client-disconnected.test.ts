import { answered, pushed, sent } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

const begun = [sent(), answered('working')]

causeTable('client_disconnected', [
  ['failed because the client went away (C070)', [...begun, pushed('failed', { text: '[client disconnected]' })], 'stated 3'],
  ['canceled because the client went away', [...begun, pushed('canceled', { text: 'connection closed by client' })], 'stated 3'],
  ['working on although the client went away', [...begun, pushed('working', { text: 'client disconnected' })], 'none'],
  ['failed over something else', [...begun, pushed('failed', { text: 'Quota exceeded' })], 'none'],
])
