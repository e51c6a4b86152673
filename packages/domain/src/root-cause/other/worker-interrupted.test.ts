import { answered, pushed, restarted, sent } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

const begun = [sent(), answered('working')]

causeTable('worker_interrupted', [
  ['failed by the restart of its daemon (C021b)', [...begun, restarted(), pushed('failed', { text: 'Interrupted by daemon restart' })], 'stated 4'],
  ['canceled by a shutdown', [...begun, pushed('canceled', { text: 'The server is shutting down' })], 'stated 3'],
  ['a message of working is no end', [...begun, pushed('working', { text: 'Interrupted by daemon restart, resuming' })], 'none'],
  ['words that it said while it worked are not those of its end', [sent(), answered('working', { text: 'Interrupted by daemon restart, resuming' }), pushed('failed')], 'none'],
  ['a restart that it does not speak of', [...begun, restarted(), pushed('failed', { text: 'Quota exceeded' })], 'none'],
  ['failed without a word', [...begun, pushed('failed')], 'none'],
  ['completed with such words is completed', [...begun, pushed('completed', { text: 'Done after the server restart' })], 'none'],
])
