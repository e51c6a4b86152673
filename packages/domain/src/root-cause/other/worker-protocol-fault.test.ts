import { answered, missed, pushed, sent } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

const begun = [sent(), answered('working')]

causeTable('worker_protocol_fault', [
  ['failed over a context id that does not match (C046)', [...begun, pushed('failed', { text: "context IDs don't match: c-1 != " })], 'stated 3'],
  ['canceled over it', [...begun, pushed('canceled', { text: 'context ids do not match' })], 'stated 3'],
  ['it answers InvalidAgentResponse', [...begun, missed({ name: 'InvalidAgentResponse', code: -32006, evidence: 'none', text: 'no task' })], 'stated 3'],
  ['failed over something else', [...begun, pushed('failed', { text: 'Quota exceeded' })], 'none'],
  ['words while working fail nothing', [...begun, pushed('working', { text: 'context ids do not match' })], 'none'],
])
