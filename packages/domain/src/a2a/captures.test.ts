import { describe, expect, test } from 'vitest'
import { bodyOf, hasSharedCases, manifestOf } from '../testing/wire/shared-cases.ts'
import { operationOf } from './operation.ts'
import { readPayload, type ReadContext } from './read.ts'
import type { Evidence } from './reading.ts'

type Row = Readonly<Record<string, string>>

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

const isStream = (row: Row): boolean => /event-stream/.test(row['content_type'] ?? '')

const typeOf = (row: Row, operation: string | undefined): string => {
  if (operation === 'GetAgentCard') return 'a2a.agent-card'
  return isStream(row) || operation === 'Push' ? 'a2a.stream-response' : 'a2a.response'
}

const contextOf = (row: Row): ReadContext => {
  const operation = operationIn(row)
  const taskId = taskIdIn(row)
  const status = Number(row['http_status'])
  return {
    type: typeOf(row, operation),
    ...(operation === 'Push'
      ? {}
      : { binding: /rest/.test(row['file'] ?? '') ? 'HTTP+JSON' : 'JSONRPC' }),
    protocolVersion: row['protocol'] ?? '',
    ...(operation === undefined ? {} : { operation }),
    ...(taskId === undefined ? {} : { taskId }),
    ...(Number.isNaN(status) ? {} : { httpStatus: status }),
  }
}

/** The data of the frames of a stream; any other body as it is. */
const framesOf = (row: Row): readonly string[] => {
  const text = bodyOf('captures', row['file'] ?? '')
  if (!isStream(row)) return [text]
  const frames = text.split(/\r?\n\r?\n/).map((block) =>
    block
      .split(/\r?\n/)
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice(5).trimStart())
      .join('\n'),
  )
  return frames.filter((frame) => frame !== '')
}

/** F6, written down a second time: what each question makes of a named not-found. */
const evidenceOf = (operation: string | undefined): Evidence => {
  if (
    operation === 'GetTask' ||
    operation === 'SendMessage' ||
    operation === 'SendStreamingMessage'
  )
    return 'strong'
  return operation === 'SubscribeToTask' || operation === 'CancelTask' ? 'weak' : 'none'
}

const rows = manifestOf('captures').filter((row) => row['http_status'] !== 'timeout')

describe.skipIf(!hasSharedCases)('bodies captured from live agents beside the repository', () => {
  test('nothing is quarantined', () => {
    const quarantined = rows.flatMap((row) =>
      framesOf(row).flatMap((frame) => {
        const result = readPayload(contextOf(row), frame)
        return result.outcome === 'quarantined' ? [{ file: row['file'], ...result }] : []
      }),
    )
    expect(quarantined).toEqual([])
  })

  test('each not-found is as strong as its question makes it', () => {
    const wrong = rows.flatMap((row) =>
      framesOf(row).flatMap((frame) => {
        const result = readPayload(contextOf(row), frame)
        if (result.outcome !== 'read' || result.reading.kind !== 'error') return []
        const { name, evidence } = result.reading.error
        const want =
          name === 'TaskNotFound'
            ? evidenceOf(operationIn(row))
            : name === 'RouteNotFound'
              ? undefined
              : 'none'
        return want === undefined || evidence === want
          ? []
          : [{ file: row['file'], name, evidence, want }]
      }),
    )
    expect(wrong).toEqual([])
  })

  test('tasks and updates come in the version their agent spoke, pushes in their own', () => {
    const wrong = rows.flatMap((row) =>
      framesOf(row).flatMap((frame) => {
        const result = readPayload(contextOf(row), frame)
        const isAboutTask =
          result.outcome === 'read' &&
          ['task', 'status-update', 'artifact-update'].includes(result.reading.kind)
        if (!isAboutTask) return []
        // Python pushes the StreamResponse of v1.0 to subscribers of v0.3 too.
        const isWrappedPush =
          operationIn(row) === 'Push' && /^\{"(?:task|statusUpdate|artifactUpdate)"/.test(frame)
        const want = isWrappedPush ? '1.0' : row['protocol']
        const told = result.reading.protocolVersion
        return told === want ? [] : [{ file: row['file'], told }]
      }),
    )
    expect(wrong).toEqual([])
  })
})
