/**
 * Who made a call, as an opaque word: the same credential gives the same word, and the word gives
 * nothing away (F7 tells only equal from different).
 *
 * A bearer token that is a JWT counts by whom it was issued for, since tokens of one caller change
 * every hour. Nobody verifies it here: a forged one gets the same word, and the worker's refusal.
 */
import { createHmac } from 'node:crypto'
import type { Codec } from '@a2a-ledger/domain'

export interface CallerHeaders {
  readonly authorization: string | undefined
  readonly cookie: string | undefined
  /** Values of headers that bear an API key. */
  readonly apiKeys: readonly string[]
}

/** What a token says about whom it was issued for, without what changes with every token. */
const identityClaims = ['iss', 'sub', 'azp', 'client_id', 'tid', 'tenant', 'org_id'] as const

/** A hash with a key that only one deployment has. */
export const keyedHash = (key: string): ((text: string) => string) => (text) => createHmac('sha256', key).update(text).digest('base64url').slice(0, 22)

/** `keyed`: as {@link keyedHash} makes it. */
export const scopeOf = (
  keyed: (text: string) => string,
  codec: Pick<Codec, 'base64Decode' | 'utf8Decode'>,
  { authorization, cookie, apiKeys }: CallerHeaders,
  tenant: string | undefined,
): string => {
  const credential = [authorization === undefined ? null : identityIn(codec, authorization), cookie ?? null, ...apiKeys]
  const isAnonymous = credential.every((each) => each === null)
  const parts = [isAnonymous ? 'anonymous' : keyed(JSON.stringify(credential)), ...(tenant === undefined ? [] : [keyed(JSON.stringify(['tenant', tenant]))])]
  return parts.join('.')
}

/**
 * As {@link scopeOf} with the key of a deployment. Without a key a credential leaves no trace, since
 * nobody else would give it the same word; a call without any is `anonymous` all the same.
 */
export const scopeWith = (key: string | undefined, codec: Pick<Codec, 'base64Decode' | 'utf8Decode'>) => {
  const keyed = key === undefined ? undefined : keyedHash(key)
  return (caller: CallerHeaders, tenant: string | undefined): string | undefined => {
    if (keyed !== undefined) return scopeOf(keyed, codec, caller, tenant)
    const isAnonymous = caller.authorization === undefined && caller.cookie === undefined && caller.apiKeys.length === 0
    return isAnonymous && tenant === undefined ? 'anonymous' : undefined
  }
}

const identityIn = (codec: Pick<Codec, 'base64Decode' | 'utf8Decode'>, authorization: string): unknown => {
  const token = /^Bearer +([\w-]+)[.]([\w-]+)[.][\w-]*$/i.exec(authorization)?.[2]
  const bytes = token === undefined ? undefined : codec.base64Decode(token)
  const claims = bytes === undefined ? undefined : objectOf(codec.utf8Decode(bytes))
  if (typeof claims?.['sub'] !== 'string') return authorization
  return identityClaims.map((name) => claims[name] ?? null)
}

const objectOf = (text: string | undefined): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(text ?? '')
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
