/** Ledger and reconciler as processes on a database of their own, and the calls that tests make. */
import { createTestDatabase, recordEvents, startService, type ServiceProcess, type TestDatabase } from '@a2a-ledger/test/support'
import { expect } from 'vitest'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // A test reads what it expects; what is not there fails the comparison.
  readonly body: any // oxlint-disable-line typescript/no-explicit-any
}

export interface Deployment {
  readonly database: TestDatabase
  readonly ledger: ServiceProcess
  readonly reconciler: ServiceProcess
  /** Records events of one batch and answers the last position. */
  readonly record: (events: readonly Readonly<Record<string, unknown>>[]) => Promise<number>
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<Answer>
  readonly post: (path: string, body: unknown, headers?: Readonly<Record<string, string>>) => Promise<Answer>
  readonly put: (path: string, body: unknown) => Promise<Answer>
  readonly eventsOf: (query: string) => Promise<readonly Readonly<Record<string, unknown>>[]>
  readonly end: () => Promise<void>
}

let eventCount = 0

/** A reconciler of this deployment; whoever starts it stops it. */
export const startReconciler = (
  { database, ledger }: Pick<Deployment, 'database' | 'ledger'>,
  environment: Readonly<Record<string, string>> = {},
): Promise<ServiceProcess> =>
  startService('reconciler', {
    DATABASE_URL: database.ledgerUrl,
    RECONCILER_DATABASE_URL: database.reconcilerUrl,
    LEDGER_URL: ledger.url,
    ...environment,
  })

/** Calls the reconciler at `url`. */
async function call(url: string, method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method,
    redirect: 'manual',
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') === true
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
}

/** As `post` of a deployment, at a reconciler of one's choice. */
export const postAt = (url: string, path: string, body: unknown): Promise<Answer> => call(url, 'POST', path, body)

/** The answer with a problem of this code, to compare with. */
export const problem = (status: number, code: string, more: object = {}) => ({
  status,
  body: expect.objectContaining({ status, code, type: `urn:a2a-ledger:error:${code}`, ...more }),
})

type Environment = Readonly<Record<string, string>>

/** `environment` of the reconciler; it may need to know where the ledger is. */
export async function deploy(environment: Environment | ((ledgerUrl: string) => Environment) = {}): Promise<Deployment> {
  const database = await createTestDatabase()
  const ledger = await startService('ledger', { DATABASE_URL: database.ledgerUrl })
  const reconciler = await startReconciler({ database, ledger }, typeof environment === 'function' ? environment(ledger.url) : environment)
  return {
    database,
    ledger,
    reconciler,
    record: async (events) => {
      const batch = events.map((event) => ({
        specversion: '1.0',
        id: `event-${(eventCount += 1)}`,
        source: 'urn:test:orchestrator',
        ...event,
      }))
      return recordEvents(ledger.url, batch)
    },
    get: (path, headers) => call(reconciler.url, 'GET', patient(path), undefined, headers),
    post: (path, body, headers) => call(reconciler.url, 'POST', path, body, headers),
    put: (path, body) => call(reconciler.url, 'PUT', path, body),
    eventsOf: async (query) => {
      const response = await fetch(`${ledger.url}/v1/events?${query}`)
      const { events } = (await response.json()) as { events: Readonly<Record<string, unknown>>[] }
      return events
    },
    end: async () => {
      await reconciler.stop()
      await ledger.stop()
      await database.drop()
    },
  }
}

/** What `atLeast` asks for comes late on a machine that does other things as well. */
const patient = (path: string): string => (/[?&]atLeast=/.test(path) && !path.includes('timeoutMs=') ? `${path}&timeoutMs=60000` : path)

/** A moment long enough ago that grace is over. */
const longAgoMs = Date.now() - 3_600_000

/** RFC 3339, `seconds` after a moment an hour ago. */
export const at = (seconds: number): string => new Date(longAgoMs + seconds * 1_000).toISOString()

export const dispatch = (correlationid: string, workerid: string, seconds = 1) => ({
  type: 'a2a.dispatch',
  operation: 'SendMessage',
  correlationid,
  workerid,
  time: at(seconds),
  data: { message: { role: 'ROLE_USER', messageId: `${correlationid}-${workerid}-m`, parts: [{ text: 'work' }] } },
})

export const answered = (correlationid: string, workerid: string, taskId: string, state = 'TASK_STATE_WORKING', seconds = 2) => ({
  type: 'a2a.response',
  operation: 'SendMessage',
  correlationid,
  workerid,
  time: at(seconds),
  data: { result: { task: { id: taskId, contextId: 'c', status: { state } } } },
})

export const polled = (workerid: string, taskId: string, state: string, seconds: number, more: object = {}) => ({
  type: 'a2a.response',
  operation: 'GetTask',
  workerid,
  taskid: taskId,
  time: at(seconds),
  data: { result: { id: taskId, contextId: 'c', status: { state }, ...more } },
})

export const notFound = (workerid: string, taskId: string, seconds: number) => ({
  type: 'a2a.response',
  operation: 'GetTask',
  workerid,
  taskid: taskId,
  time: at(seconds),
  data: { error: { code: -32001, message: 'Task not found' } },
})

export const card = (workerid: string, modes: readonly string[], states: readonly string[], seconds = 0) => ({
  type: 'a2a.agent-card',
  workerid,
  time: at(seconds),
  data: {
    name: workerid,
    description: 'A worker.',
    version: '1',
    supportedInterfaces: [{ url: 'https://worker.example.com', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: {
      extensions: [{ uri: 'urn:a2a-ledger:task-continuity:v1', params: { reachableStates: states } }],
    },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: modes,
    skills: [{ id: 's', name: 's', description: 's', tags: ['s'] }],
  },
})

/** A worker's card that claims more of our extension than the states it may reach. */
export const claiming = (shown: ReturnType<typeof card>, claims: object) => {
  const [extension] = shown.data.capabilities.extensions
  return { ...shown, data: { ...shown.data, capabilities: { extensions: [{ ...extension, params: { ...extension?.params, ...claims } }] } } }
}

/** It takes a message that it knows once. */
export const knowingMessages = (shown: ReturnType<typeof card>) => claiming(shown, { idempotency: { key: 'messageId' } })
