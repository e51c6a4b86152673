import { answered, missed, refused, sent } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

const begun = [sent(), answered('working')]
const proxied = { name: 'Unavailable', evidence: 'none', codeSpace: 'http', code: 502, isFromGateway: true, text: 'Bad Gateway' } as const

causeTable('gateway_error', [
  ['a proxy answers GetTask', [...begun, missed(proxied)], 'strong 3'],
  ['a proxy answers a send', [sent(), refused(proxied)], 'strong 2'],
  ['every such answer is named', [...begun, missed(proxied), missed(proxied)], 'strong 3, 4'],
  ['of more than fit the newest', [...begun, ...Array.from({ length: 25 }, () => missed(proxied))], `strong ${Array.from({ length: 20 }, (_, index) => index + 8).join(', ')}`],
  ['an internal error of the worker is none of a proxy', [...begun, missed({ name: 'Internal', code: -32603, evidence: 'none' })], 'none'],
])
