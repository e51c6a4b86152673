/**
 * Ways to tell a scenario otherwise without changing what happened: in another version or over another
 * binding, by more witnesses, in another order of arrival. What the views say must not change.
 */
import type { Observed, Scenario } from './scenario.ts'

export type Json = Readonly<Record<string, unknown>>

/** Every time and id stated, so that events can be moved and doubled. */
export const stated = (scenario: Scenario): Scenario => {
  let count = 0
  return changed(scenario, (event) => {
    count += 1
    return [{ ...event, t: event.t ?? count, id: event.id ?? `${scenario.id}-${count}`, witness: event.witness ?? 'orchestrator' }]
  })
}

/** Every event as `change` tells it. */
export const changed = (scenario: Scenario, change: (event: Observed) => readonly Observed[]): Scenario => ({
  ...scenario,
  steps: scenario.steps.map((step) => (step.observe === undefined ? step : { ...step, observe: step.observe.flatMap(change) })),
})

/** Told last first; only the times tell the order. */
export const reversed = (scenario: Scenario): Scenario => ({
  ...scenario,
  steps: scenario.steps.map((step) => (step.observe === undefined ? step : { ...step, observe: step.observe.toReversed() })),
})

/** What `isEchoed` picks is told a second time, by another witness, `afterS` seconds later. */
export const echoed =
  (isEchoed: (event: Observed) => boolean, afterS: number, witness: string) =>
  (scenario: Scenario): Scenario =>
    changed(scenario, (event) =>
      isEchoed(event) ? [event, { ...event, id: `${event.id}-echo`, witness, t: (event.t ?? 0) + afterS }] : [event],
    )

/** Answers that show a task are given three times, by polls a moment apart. */
export const polledMore = (scenario: Scenario): Scenario =>
  changed(scenario, (event) =>
    event.operation === 'GetTask' && resultOf(event) !== undefined
      ? [event, ...[1, 2].map((n) => ({ ...event, id: `${event.id}-poll-${n}`, t: (event.t ?? 0) + n / 5 }))]
      : [event],
  )

const olderNames: Readonly<Record<string, string>> = {
  SendMessage: 'message/send',
  SendStreamingMessage: 'message/stream',
  GetTask: 'tasks/get',
  ListTasks: 'tasks/list',
  CancelTask: 'tasks/cancel',
  SubscribeToTask: 'tasks/resubscribe',
}

/** Every other event calls its operation as v0.3 did. */
export const renamed = (scenario: Scenario): Scenario => {
  let count = 0
  return changed(scenario, (event) => {
    count += 1
    const older = count % 2 === 0 ? olderNames[event.operation ?? ''] : undefined
    return [{ ...event, ...(older !== undefined && { operation: older }) }]
  })
}

/** What came as JSON, and was no listing, is told as the whole body of an event stream that carried it. */
export const asStreamBody = (scenario: Scenario): Scenario =>
  changed(scenario, (event) => {
    const isAnswer = (event.type === 'a2a.response' || event.type === 'a2a.stream-response') && event.operation !== 'ListTasks'
    const isCarried = isAnswer && isObject(event.data) && Object.keys(event.data).length > 0 && Number(event.httpstatus ?? 200) < 300
    return [isCarried ? { ...event, data: `: told whole\r\nevent: message\r\ndata: ${JSON.stringify(event.data)}\r\n\r\n` } : event]
  })

/** Everything is told under one and the same scope. */
export const scoped = (scenario: Scenario): Scenario | undefined =>
  JSON.stringify(scenario).includes('"scope"')
    ? undefined
    : changed(scenario, (event) => [event.workerid === undefined ? event : { ...event, scope: 'tenant-x' }])

/** Whole JSON-RPC answers are told as what is in them: a task or an error. */
export const bare = (scenario: Scenario): Scenario =>
  changed(scenario, (event) => {
    if (event.type !== 'a2a.response' || !isObject(event.data) || event.data['jsonrpc'] === undefined) return [event]
    if (event.data['error'] !== undefined) return [{ ...event, type: 'a2a.error', data: event.data['error'] }]
    const object = unwrapped(event.data['result'])
    return [isObject(object) && isObject(object['status']) ? { ...event, type: 'a2a.task', data: object } : event]
  })

export const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const resultOf = ({ data }: Observed): unknown => (isObject(data) ? data['result'] : undefined)

const wrappers = ['task', 'message', 'statusUpdate', 'artifactUpdate']

/** What a v1.0 response or stream event holds. */
const unwrapped = (value: unknown): unknown => {
  if (!isObject(value)) return value
  const names = Object.keys(value)
  const [name = ''] = names
  return names.length === 1 && wrappers.includes(name) ? value[name] : value
}

/** Told wholly as v1.0 JSON-RPC, with nothing in it that another version or binding would have to say otherwise. */
export const isPlain = ({ steps }: Scenario): boolean =>
  !/"mediaType"|"mimeType"|"binding"|"protocolversion"|"kind"|"httpstatus"|"supportedInterfaces"|"protocolVersion"|"timestamp"/.test(
    JSON.stringify(steps.flatMap(({ observe = [] }) => observe)),
  )

/** v1.0 bodies as v0.3 ones; a scenario that is about a version stays untold. */
export const asV03 = (scenario: Scenario): Scenario | undefined =>
  isPlain(scenario)
    ? changed(scenario, (event) => {
        const { data } = event
        if (event.type === 'a2a.response' && isObject(data) && data['jsonrpc'] !== undefined) {
          const { error, result, ...rest } = data
          const { data: _details, ...told } = isObject(error) ? error : {}
          return [{ ...event, data: { ...rest, ...('result' in data && { result: older(unwrapped(result)) }), ...(error !== undefined && { error: told }) } }]
        }
        return [{ ...event, data: older(event.type === 'a2a.stream-response' ? unwrapped(data) : data) }]
      })
    : undefined

const older = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(older)
  if (!isObject(value)) return value
  const told: Record<string, unknown> = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, olderMember(name, member)]))
  const has = (...names: readonly string[]) => names.every((name) => name in told)
  if (has('messageId', 'parts')) return { ...told, kind: 'message' }
  if (has('id', 'status')) return { ...told, kind: 'task' }
  if (has('taskId', 'status')) return { ...told, kind: 'status-update', final: false }
  return has('taskId', 'artifact') ? { ...told, kind: 'artifact-update' } : told
}

const olderMember = (name: string, value: unknown): unknown => {
  if (name === 'state') return olderState(value)
  if (name === 'role') return olderRole(value)
  if (name === 'parts' && Array.isArray(value)) return value.map(olderPart)
  return older(value)
}

/** As versions before 1.0 spell it. */
export const olderRole = (value: unknown): unknown => (value === 'ROLE_USER' ? 'user' : value === 'ROLE_AGENT' ? 'agent' : value)

/** As versions before 1.0 spell it. */
export const olderState = (wire: unknown): unknown => {
  if (typeof wire !== 'string' || !wire.startsWith('TASK_STATE_')) return older(wire)
  const word = wire.slice('TASK_STATE_'.length).toLowerCase().replaceAll('_', '-')
  return word === 'unspecified' ? 'unknown' : word
}

const olderPart = (part: unknown): unknown => {
  if (!isObject(part)) return part
  if ('text' in part) return { kind: 'text', ...part }
  return 'data' in part ? { kind: 'data', ...part } : part
}

/** What a JSON-RPC code is in the other two code spaces (A2A v1.0 §5.4). */
const codes: Readonly<Record<number, { readonly http: number; readonly status: string; readonly grpc: number; readonly reason: string }>> = {
  [-32001]: { http: 404, status: 'NOT_FOUND', grpc: 5, reason: 'TASK_NOT_FOUND' },
  [-32002]: { http: 409, status: 'FAILED_PRECONDITION', grpc: 9, reason: 'TASK_NOT_CANCELABLE' },
  [-32004]: { http: 400, status: 'UNIMPLEMENTED', grpc: 12, reason: 'UNSUPPORTED_OPERATION' },
}

/** JSON-RPC answers over another binding; `undefined` where an error has no equal there, or its text decides. */
export const over =
  (binding: 'HTTP+JSON' | 'GRPC') =>
  (scenario: Scenario): Scenario | undefined => {
    if (!isPlain(scenario) || errorsOf(scenario).some((error) => !hasEqual(error))) return undefined
    return changed(scenario, (event) => {
      if (event.type === 'a2a.dispatch') return [{ ...event, binding }]
      if (event.type !== 'a2a.response' || !isObject(event.data) || event.data['jsonrpc'] === undefined) return [event]
      const { error, result } = event.data
      return [isObject(error) ? { ...event, binding, ...errorOver(binding, error) } : { ...event, binding, data: result }]
    })
  }

const errorsOf = ({ steps }: Scenario): readonly Json[] =>
  steps.flatMap(({ observe = [] }) =>
    observe.flatMap(({ type, data }) => (type === 'a2a.response' && isObject(data) && isObject(data['error']) ? [data['error']] : [])),
  )

const hasEqual = ({ code, message }: Json): boolean =>
  Object.hasOwn(codes, Number(code)) && !/tim(?:ed|e)|terminal|MCP/i.test(String(message))

const errorOver = (binding: 'HTTP+JSON' | 'GRPC', { code, message }: Json): Partial<Observed> & { readonly data: unknown } => {
  const equal = codes[Number(code)]
  const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: equal?.reason, domain: 'a2a-protocol.org' }]
  return binding === 'GRPC'
    ? { data: { code: equal?.grpc, message, details } }
    : { httpstatus: String(equal?.http), data: { error: { code: equal?.http, status: equal?.status, message, details } } }
}
