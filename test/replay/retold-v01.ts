/**
 * v1.0 bodies as v0.1 ones: clients choose the ids of their tasks, messages have none, artifacts are told by
 * their index, and updates name their task `id`.
 */
import { changed, isObject, isPlain, olderRole, olderState, type Json } from './retold.ts'
import type { Observed, Scenario } from './scenario.ts'

/** What v0.1 has no words for: messages that are named or are the whole answer, and a context that alone carries on. */
const isTellable = (scenario: Scenario, observed: readonly Observed[]): boolean =>
  isPlain(scenario) &&
  !/"history"|"messageid"|"referenceTaskIds"/.test(JSON.stringify(observed)) &&
  !/"messageId"|"contextId"|"message"/.test(JSON.stringify(scenario.steps.filter(({ observe }) => observe === undefined))) &&
  observed.every((event) => memberOf(memberOf(event.data, 'result'), 'message') === undefined) &&
  observed.every((event) => {
    const message = memberOf(event.data, 'message')
    return event.type !== 'a2a.dispatch' || memberOf(message, 'contextId') === undefined || memberOf(message, 'taskId') !== undefined
  })

export const asV01 = (scenario: Scenario): Scenario | undefined => {
  const observed = scenario.steps.flatMap(({ observe = [] }) => observe)
  if (!isTellable(scenario, observed)) return undefined
  const answered = new Set<Observed>()
  return changed(scenario, (event) => {
    const { data } = event
    if (event.type === 'a2a.dispatch') {
      const answer = observed.find((each) => !answered.has(each) && isAnswer(each, event))
      if (answer !== undefined) answered.add(answer)
      return [{ ...event, data: request(data, answer) }]
    }
    if (!isObject(data) || data['jsonrpc'] === undefined) return [{ ...event, data: oldest(data) }]
    return [{ ...event, data: { ...data, ...('result' in data && { result: oldest(data['result']) }) } }]
  })
}

const isAnswer = (event: Observed, sent: Observed): boolean =>
  event.type !== 'a2a.dispatch' &&
  (event.operation ?? '').startsWith('Send') &&
  event.workerid === sent.workerid &&
  event.correlationid === sent.correlationid &&
  (event.t ?? 0) >= (sent.t ?? 0)

const memberOf = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined)

/** The client's own id of the task: that of the task which answers, or one nobody else knows. */
const request = (data: unknown, answer: Observed | undefined): Json => {
  const message = memberOf(data, 'message')
  const result = memberOf(answer?.data, 'result') ?? answer?.data
  const answeredId = memberOf(memberOf(result, 'task') ?? result, 'id')
  const contextId = memberOf(message, 'contextId')
  const acceptedOutputModes = memberOf(memberOf(data, 'configuration'), 'acceptedOutputModes')
  return {
    id: memberOf(message, 'taskId') ?? answeredId ?? `own-${String(memberOf(message, 'messageId'))}`,
    ...(contextId !== undefined && { sessionId: contextId }),
    message: oldestMessage(message),
    ...(acceptedOutputModes !== undefined && { acceptedOutputModes }),
  }
}

const oldest = (value: unknown): unknown => {
  if (!isObject(value)) return value
  const inner = value['task'] ?? value['statusUpdate'] ?? value['artifactUpdate']
  if (isObject(inner)) return oldest(inner)
  const { taskId, contextId, append, lastChunk, ...rest } = value
  const status = value['status'] === undefined ? {} : { status: oldestStatus(value['status']) }
  if (taskId !== undefined && value['artifact'] !== undefined) return { id: taskId, artifact: oldestArtifact(value['artifact'], 0, { append, lastChunk }) }
  if (taskId !== undefined && value['status'] !== undefined) return { ...rest, id: taskId, ...status, final: false }
  if (value['id'] === undefined || value['status'] === undefined) return value
  const artifacts = Array.isArray(value['artifacts']) ? { artifacts: value['artifacts'].map((each, index) => oldestArtifact(each, index, {})) } : {}
  return { ...rest, ...(contextId !== undefined && { sessionId: contextId }), ...status, ...artifacts }
}

const oldestStatus = (status: unknown): unknown =>
  isObject(status)
    ? { ...status, state: olderState(status['state']), ...(status['message'] !== undefined && { message: oldestMessage(status['message']) }) }
    : status

const oldestMessage = (message: unknown): Json => ({
  role: olderRole(memberOf(message, 'role')),
  parts: oldestParts(memberOf(message, 'parts')),
  ...(memberOf(message, 'metadata') !== undefined && { metadata: memberOf(message, 'metadata') }),
})

const oldestArtifact = (artifact: unknown, index: number, flags: Json): Json => ({
  ...(isObject(artifact) && artifact),
  parts: oldestParts(memberOf(artifact, 'parts')),
  index,
  ...flags,
})

const oldestParts = (parts: unknown): unknown =>
  Array.isArray(parts) ? parts.map((part: unknown) => (isObject(part) ? { type: 'text' in part ? 'text' : 'data', ...part } : part)) : parts
