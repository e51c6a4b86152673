/**
 * The addresses that push configurations name: in a message that is sent, in an operation on
 * configurations, and in the answer to one. They are replaced where they stand; every other character
 * stays.
 */
import { type JsonValue, scanJson } from '../json/document.ts'
import { spliced } from '../json/spliced.ts'
import { isPushConfigOperation, isSend } from './operation.ts'
import { isPushConfigName } from './push-config.ts'

/**
 * `text` with other push addresses: `rename` gives the new address, or `undefined` where it stays. The
 * value is `undefined` where nothing changes.
 *
 * Shape: the body of one call or of its answer, not of a batch; `operation` by its v1.0 name.
 * Total: never throws, linear in the body.
 */
export const replacePushUrls = (text: string, operation: string, rename: (url: string) => string | undefined): string | undefined => {
  const scan = scanJson(text)
  if (scan.outcome !== 'ok') return undefined
  const { root } = scan.document
  const body = root.get('jsonrpc') === undefined ? root : (root.get('params') ?? root.get('result'))
  const changes = (body === undefined ? [] : configsIn(body, operation)).flatMap((config) => {
    const at = config.get('url')
    const value = at?.string === undefined || at.string === '' ? undefined : rename(at.string)
    return at === undefined || value === undefined ? [] : [{ at, value }]
  })
  return changes.length === 0 ? undefined : spliced(text, changes)
}

const configsIn = (body: JsonValue, operation: string): readonly JsonValue[] => {
  if (isSend(operation)) return [body, body.get('configuration')].flatMap((holder) => (holder === undefined ? [] : heldBy(holder)))
  if (!isPushConfigOperation(operation)) return []
  const list = body.kind === 'array' ? body : (body.get('configs') ?? body.get('pushNotificationConfigs'))
  return (list?.kind === 'array' ? [...list.items()] : [body]).flatMap(withHeld)
}

/** A configuration, and the one that it wraps. */
const withHeld = (config: JsonValue): readonly JsonValue[] => (config.kind === 'object' ? [config, ...heldBy(config)] : [])

const heldBy = (holder: JsonValue): readonly JsonValue[] =>
  holder.kind === 'object' ? [...holder.members()].flatMap(({ name, value }) => (isPushConfigName(name) || name === 'config' ? withHeld(value) : [])) : []
