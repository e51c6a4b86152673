/** The bodies captured from live agents beside the repository, each as its witness would report it. */
import { operationOf } from '../../a2a/operation.ts'
import type { Evidence } from '../../a2a/reading.ts'
import { bodyOf, manifestOf } from './shared-cases.ts'

type Row = Readonly<Record<string, string>>

export interface CapturedAnswer {
  readonly file: string
  /** The version that was spoken to the agent. */
  readonly protocol: string
  /** What the envelope says beside id and source: the question, its binding, the HTTP status. */
  readonly attributes: Readonly<Record<string, string>> & { readonly type: string }
  readonly operation: string | undefined
  readonly isStream: boolean
  /** As it was on the wire. */
  readonly body: string
  /** The data of the frames of a stream; any other body as it is. */
  readonly frames: readonly string[]
}

interface Request {
  readonly method?: string
  readonly params?: {
    readonly id?: string
    readonly taskId?: string
    readonly message?: { readonly taskId?: string }
  }
}

const restOperations: readonly (readonly [RegExp, string])[] = [
  [/agent-card/, 'GetAgentCard'],
  [/rest-cancel/, 'CancelTask'],
  [/rest-(?:w1-)?get/, 'GetTask'],
  [/rest-send/, 'SendMessage'],
  [/rest-stream/, 'SendStreamingMessage'],
  [/rest-subscribe/, 'SubscribeToTask'],
  [/rest-list/, 'ListTasks'],
]

const requestOf = (row: Row): Request =>
  row['request'] === '-' ? {} : (JSON.parse(row['request'] ?? '{}') as Request)

const operationIn = (row: Row): string | undefined => {
  if (row['http_status'] === 'POST') return 'Push'
  const { method } = requestOf(row)
  if (method !== undefined) return operationOf(method)
  return restOperations.find(([pattern]) => pattern.test(row['file'] ?? ''))?.[1]
}

const taskIdIn = (row: Row): string | undefined => {
  const { params } = requestOf(row)
  const named = params?.id ?? params?.taskId ?? params?.message?.taskId
  return named ?? (/notfound|live/.test(row['file'] ?? '') ? 'the-task-asked-for' : undefined)
}

const typeOf = (operation: string | undefined, isStream: boolean): string => {
  if (operation === 'GetAgentCard') return 'a2a.agent-card'
  return isStream || operation === 'Push' ? 'a2a.stream-response' : 'a2a.response'
}

/** The data of each event of an event stream (HTML §9.2.6), events without data left out. */
const framesIn = (stream: string): readonly string[] =>
  stream
    .split(/\r?\n\r?\n/)
    .map((block) =>
      block
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trimStart())
        .join('\n'),
    )
    .filter((frame) => frame !== '')

const answerOf = (row: Row): CapturedAnswer => {
  const file = row['file'] ?? ''
  const body = bodyOf('captures', file)
  const operation = operationIn(row)
  const taskid = taskIdIn(row)
  // A stream that ended before its first event is an answer without content.
  const isStream = /event-stream/.test(row['content_type'] ?? '') && body !== ''
  const status = row['http_status'] ?? ''
  return {
    file,
    protocol: row['protocol'] ?? '',
    attributes: {
      type: typeOf(operation, isStream),
      protocolversion: row['protocol'] ?? '',
      ...(operation === undefined ? {} : { operation }),
      ...(operation === 'Push' ? {} : { binding: /rest/.test(file) ? 'HTTP+JSON' : 'JSONRPC' }),
      ...(taskid === undefined ? {} : { taskid }),
      ...(/^\d+$/.test(status) ? { httpstatus: status } : {}),
    },
    operation,
    isStream,
    body,
    frames: isStream ? framesIn(body) : [body],
  }
}

/** Every captured body that is an answer or a push; one row of the manifest is a call without any. */
export const capturedAnswers: readonly CapturedAnswer[] = manifestOf('captures')
  .filter((row) => row['http_status'] !== 'timeout')
  .map(answerOf)

/** F6, written down a second time: what each question makes of a named not-found. */
export const evidenceOfNotFound = (operation: string | undefined): Evidence => {
  if (
    operation === 'GetTask' ||
    operation === 'SendMessage' ||
    operation === 'SendStreamingMessage'
  )
    return 'strong'
  return operation === 'SubscribeToTask' || operation === 'CancelTask' ? 'weak' : 'none'
}
