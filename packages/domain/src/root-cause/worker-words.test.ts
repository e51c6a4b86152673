import { describe, expect, it } from 'vitest'
import { saysCallTimedOut, saysClientGone, saysInterrupted, saysItAsks, saysPartyTimedOut, saysProtocolFault } from './worker-words.ts'

const table = (name: string, says: (text: string) => boolean, yes: readonly string[], no: readonly string[]) => {
  describe(name, () => {
    it.each(yes)('yes: %s', (text) => {
      expect(says(text)).toBe(true)
    })
    it.each(no)('no: %s', (text) => {
      expect(says(text)).toBe(false)
    })
  })
}

table(
  'a tool or a peer timed out',
  saysPartyTimedOut,
  [
    'MCP error -32001: Request timed out',
    'tool search_web timed out after 30s',
    'Timed out waiting for the remote agent',
    'upstream deadline exceeded',
    'LLM provider time-out',
    'The database did not answer: timeout',
    'connect ETIMEDOUT 10.0.0.1:443',
    'Tool "search" exceeded its time limit',
  ],
  ['task timed out', 'Execution timed out', 'tool exceeded its quota', 'tool crashed', 'Quota exceeded', 'stdio out of time'],
)

table(
  'a call timed out',
  saysCallTimedOut,
  ['Request timed out', 'httpx.ReadTimeout', 'rpc error: code = DeadlineExceeded desc = context deadline exceeded', 'The connection timed out', 'query timeout', 'Read timed out. (read timeout=30)', 'HTTP 504: Gateway Time-out', 'timeout of 10000ms exceeded', 'context deadline exceeded calling weather', 'Max retries exceeded: connect timeout'],
  ['task timed out', 'Request refused', 'read the whole file', 'HTTP 503', 'context deadline exceeded'],
)

table(
  'the worker was interrupted',
  saysInterrupted,
  [
    'Interrupted by daemon restart',
    'The server is shutting down',
    'worker restarted',
    'Task orphaned after a restart',
    'canceled because of shutdown',
    'Pod was evicted',
    'process killed by SIGTERM',
    'aborted: redeployment in progress, cancelled by redeploy',
    'agent process crashed',
    'killed: out of memory',
    'Agent process exited unexpectedly',
    'process exited with code 137',
    'Service is restarting, please retry',
    'The agent runtime was recycled',
    'Stale task from previous process',
    'On startup: stale running task marked failed',
    'Orphaned task found at boot',
    'interrupted during scale-down',
    'Received SIGTERM, aborting in-flight tasks',
    'caught signal SIGINT',
    'worker lost: pod OOMKilled',
    'Aborted: service is draining',
    'Execution lost during node drain',
    'Task cancelled: server is going down for maintenance',
    'Heartbeat lost; worker presumed dead',
  ],
  ['Please restart the job', 'the command got a bad answer', 'ended by SIGINT of the user', 'tool crashed', 'process exited with code 1', 'Failed during deployment of the site', 'the stale cache of the previous run', 'Nothing is running on the boot disk', 'Quota exceeded', 'interrupted by the user', 'restart from page 3', 'The restaurant is closed', 'Failed to restart nginx: permission denied', 'Failed to scale down the deployment', 'blocked by the drain of the sink'],
)

table(
  'the worker broke the protocol',
  saysProtocolFault,
  [
    "context IDs don't match: c-1 != ",
    'Context ID mismatch',
    'task_id does not match',
    'mismatched contextId',
    'A2A protocol error',
    'invalid agent response',
    'Agent returned an invalid response',
    'bad context id: expected c-1',
    'Missing taskId',
    "Context in event doesn't match TaskManager c-1 : c-2",
    "Task in event doesn't match TaskManager t-1 : t-2",
  ],
  ['types do not match', 'the tool returned an invalid response', 'invalid customer id', 'Quota exceeded', 'the context is too long', 'the event does not match the context of the question', 'protocol of the meeting'],
)

table(
  'the client went away',
  saysClientGone,
  ['[client disconnected]', 'connection closed by client', 'The caller hung up', 'disconnected by the client', 'client went away', 'Client connection lost'],
  ['connection reset by peer', 'client error', 'database connection closed', 'the client asked for more'],
)

table(
  'the message asks for something',
  saysItAsks,
  [
    'Approval required before I can run delete_rows. Approve or reject?',
    'Please confirm the order',
    'I need your confirmation to go on',
    'Waiting for approval',
    'Do you want me to proceed?',
    'Please provide the account number',
    'requires human input',
    'Human review required before I can proceed',
    'Suspended: waiting for a human',
    'Manual approval is pending',
  ],
  ['It is done', 'Deleted 3 rows', 'The approval was given, and all rows are deleted', 'Is there anything else?', 'Order confirmed.', 'A human reviewed it', 'Manual review was done'],
)

describe('every expression is linear', () => {
  it.each<[string, (text: string) => boolean]>([
    ['saysPartyTimedOut', saysPartyTimedOut],
    ['saysCallTimedOut', saysCallTimedOut],
    ['saysInterrupted', saysInterrupted],
    ['saysProtocolFault', saysProtocolFault],
    ['saysClientGone', saysClientGone],
    ['saysItAsks', saysItAsks],
  ])('%s answers on a megabyte of its own beginnings', (_name, says) => {
    const beginnings = 'server because client context id approval confirm requires mismatch timed request '
    expect(says(beginnings.repeat(12_000))).toBeTypeOf('boolean')
  })
})
