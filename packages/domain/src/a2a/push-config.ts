/** Push configurations of all versions: where they stand and which members of theirs are secret. */
import type { JsonValue } from '../json/document.ts'
import { isPushConfigOperation } from './operation.ts'
import type { PushConfigReading } from './reading.ts'
import { snakeOf } from './snake.ts'
import { pushConfigNames } from './v0-3/profile.ts'

const v1Names = ['taskPushNotificationConfig', 'createTaskPushNotificationConfig'] as const

/** Names of the members that hold a push configuration, in any version and spelling. */
const holderNames: ReadonlySet<string> = new Set(
  [...pushConfigNames, ...v1Names].flatMap((name) => [name, snakeOf(name)]),
)

/** True for a member that holds a push configuration, wherever it stands. */
export const isPushConfigName = (name: string): boolean => holderNames.has(name)

/** True for an object that can only be a push configuration: a URL with something to present there. */
export const isPushConfigShape = (object: JsonValue): boolean => {
  if (object.kind !== 'object' || object.get('skills') !== undefined) return false
  const hasInner = [...object.members()].some(
    ({ name, value }) => isPushConfigName(name) && !value.isNull,
  )
  if (hasInner) return object.get('message') === undefined && object.get('status') === undefined
  const isAddressed = object.get('url')?.string !== undefined
  const isBare = ['status', 'parts', 'artifact', 'name', 'raw'].every(
    (name) => object.get(name) === undefined,
  )
  const hasSecretPlace =
    object.get('token') !== undefined || object.get('authentication') !== undefined
  return isAddressed && isBare && (hasSecretPlace || object.get('taskId') !== undefined)
}

/**
 * The objects at the top of a body that are push configurations: the result or the params itself,
 * or the items of its `configs`. After an operation on configurations every object there is one.
 */
export const topConfigs = (
  root: JsonValue,
  operation: string | undefined,
): readonly JsonValue[] => {
  const bodies = root.kind === 'array' ? [...root.items()] : [root]
  return bodies.flatMap((body) => {
    const top = firstObject(body.get('result'), body.get('params'), body)
    const list = top.get('configs') ?? top.get('pushNotificationConfigs') ?? body.get('result')
    const items = list?.kind === 'array' ? [...list.items()] : [top]
    return items.filter(
      (item) =>
        item.kind === 'object' && (isPushConfigShape(item) || isPushConfigOperation(operation)),
    )
  })
}

const firstObject = (...values: readonly [...(JsonValue | undefined)[], JsonValue]): JsonValue =>
  values.find((each) => each?.kind === 'object') ?? (values.at(-1) as JsonValue)

/** The secret strings of one push configuration: its token and its authentication's credentials. */
export const secretsOf = (config: JsonValue): readonly JsonValue[] => {
  const authentication = config.get('authentication')
  const places = [...config.all('token'), ...(authentication?.all('credentials') ?? [])]
  return places.filter((each) => each.kind === 'string')
}

/** The push configurations of a request to send, with their secrets in clear. */
export const readDispatchedConfigs = (root: JsonValue): readonly PushConfigReading[] => {
  const params = firstObject(root.get('params'), root)
  const holders = [params, params.get('configuration')]
  return holders
    .flatMap((holder) => [...(holder?.members() ?? [])])
    .filter(({ name, value }) => isPushConfigName(name) && value.kind === 'object')
    .map(({ value }) => ({ secrets: secretsOf(value).flatMap((each) => each.string || []) }))
    .slice(0, 100)
}
