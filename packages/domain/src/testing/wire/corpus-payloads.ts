/** The payload corpus beside the repository, each row as a witness would report it. */
import { bodyOf, manifestOf } from './shared-cases.ts'

type Row = Readonly<Record<string, string>>

export interface CorpusPayload {
  readonly row: Row
  /** What the envelope says beside id and source. */
  readonly attributes: Readonly<Record<string, string>> & { readonly type: string }
  readonly text: string
}

const typeOf: Readonly<Record<string, string>> = {
  task: 'a2a.task',
  'status-update': 'a2a.status-update',
  'artifact-update': 'a2a.artifact-update',
  message: 'a2a.message',
  'stream-response': 'a2a.stream-response',
  'jsonrpc-response': 'a2a.response',
  'task-list': 'a2a.response',
  'jsonrpc-error': 'a2a.error',
  'rest-error': 'a2a.error',
  'grpc-error': 'a2a.error',
  'agent-card': 'a2a.agent-card',
  'send-request': 'a2a.dispatch',
}

const askedBy: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'task-list': { operation: 'ListTasks' },
  'jsonrpc-response': { operation: 'GetTask' },
  'rest-error': { operation: 'GetTask', binding: 'HTTP+JSON' },
  'grpc-error': { operation: 'GetTask', binding: 'GRPC' },
}

/** Rows that are no event of the contract by themselves (loose artifacts, configurations) are left out. */
export const corpusPayloads: readonly CorpusPayload[] = manifestOf('payloads').flatMap((row) => {
  const type = typeOf[row['kind'] ?? '']
  if (type === undefined) return []
  const isConfig = /pushNotificationConfigs/.test(row['expected_canonical'] ?? '')
  const attributes = {
    type,
    ...askedBy[row['kind'] ?? ''],
    ...(isConfig ? { operation: 'GetTaskPushNotificationConfig' } : {}),
  }
  return [{ row, attributes, text: bodyOf('payloads', row['file'] ?? '') }]
})
