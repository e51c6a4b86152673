import { answered, found, missed, pushed, sent } from '../../testing/history.ts'
import { causeTable } from '../../testing/cause-table.ts'

const begun = [sent(), answered('working')]

causeTable('downstream_timeout', [
  ['failed with the timeout of an MCP tool (C027)', [...begun, pushed('failed', { text: 'MCP error -32001: Request timed out' })], 'stated 3'],
  ['the timeout of an MCP tool as an error of A2A (C027b)', [...begun, missed({ name: 'Timeout', evidence: 'weak', saysTimeout: true, text: 'MCP error -32001: Request timed out' })], 'stated 3'],
  ['failed with a call that timed out, to whom it does not say', [...begun, pushed('failed', { text: 'Request timed out' })], 'likely 3'],
  ['canceled over the timeout of an MCP tool', [...begun, pushed('canceled', { text: 'MCP error -32001: Request timed out' })], 'stated 3'],
  ['rejected over it', [...begun, pushed('rejected', { text: 'MCP error -32001: Request timed out' })], 'stated 3'],
  ['canceled over a call that timed out, to whom it does not say', [...begun, pushed('canceled', { text: 'Request timed out' })], 'likely 3'],
  ['rejected over such a call', [...begun, pushed('rejected', { text: 'Request timed out' })], 'likely 3'],
  ['the words came with a later report of the same end', [...begun, pushed('failed'), found('failed', { text: 'tool search timed out' })], 'stated 4'],
  ['its own deadline is none of a tool (C006)', [...begun, missed({ name: 'Timeout', evidence: 'weak', saysTimeout: true, text: 'task timed out' })], 'none'],
  ['failed by its own deadline', [...begun, pushed('failed', { text: 'Task timed out' })], 'none'],
  ['the timeout of a proxy is none of a tool', [...begun, missed({ name: 'Timeout', evidence: 'none', isFromGateway: true, text: 'upstream request timeout' })], 'gateway_error'],
  ['a tool that failed did not time out', [...begun, pushed('failed', { text: 'tool crashed' })], 'none'],
  ['working on a retry of a tool is no failure', [...begun, pushed('working', { text: 'tool search timed out, trying again' })], 'none'],
])
