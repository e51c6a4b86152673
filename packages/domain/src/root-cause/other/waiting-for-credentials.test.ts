import { answered, pushed, sent } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

const asked = [sent(), answered('auth-required', { text: 'Sign in at the portal' })]

causeTable('waiting_for_credentials', [
  ['the task waits for credentials (C073)', asked, 'stated 2'],
  ['gone on by itself, it waits for nothing', [...asked, pushed('working')], 'none'],
  ['input is no credential', [sent(), answered('input-required', { text: 'Which?' })], 'waiting_for_input'],
])
