import { lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Agent } from 'undici'
import { createAddressPolicy } from './address-policy.ts'
import { createGuardedConnector, guardLookup, hostOf, refusedAddress } from './guarded-connector.ts'
import { OutboundError, outboundErrorIn } from './outbound-error.ts'
import { createOutboundFetch } from './outbound-fetch.ts'
import { defaultLimits, type OutboundLimits } from './outbound-limits.ts'
import { type AnswerHandler, passOn, type PassedCall, type PassedCallControl } from './pass-on.ts'

export interface OutboundOptions {
  /** Blocks of addresses that may be called although they are not public (`OUTBOUND_ALLOW_CIDRS`). */
  readonly allowCidrs: readonly string[]
  readonly limits?: Partial<OutboundLimits>
  /** How names are resolved; default: as the system does. */
  readonly lookup?: LookupFunction
}

/**
 * Calls to addresses that others named: worker interfaces, card URLs, push URLs.
 *
 * What holds for every way out of it: http and https only, no user or password in the URL, no
 * connection to an address that is neither public nor allowed, whatever it is spelled like,
 * resolves to or redirects to. Proxy variables of the environment are not looked at. What is
 * refused is an `OutboundError`.
 */
export interface Outbound {
  /** As `globalThis.fetch`, within `limits`; the A2A SDK takes it as `fetchImpl`. */
  readonly fetch: typeof globalThis.fetch
  /** For callers that pass calls on: no redirect is followed, and what comes is theirs to bound. Throws as `check` does. */
  readonly passOn: (call: PassedCall, handler: AnswerHandler) => PassedCallControl
  /** Throws what can be told of a URL without a connection: scheme, credentials, a literal address. */
  readonly check: (url: URL) => void
  /**
   * Why a call to that URL would be refused now; nothing is called. Value `undefined`: it would not be, or its name does not
   * resolve within a second. A connection is judged anew, whatever is said here.
   */
  readonly refusalOf: (url: URL) => Promise<OutboundError | undefined>
  /** Ends idle connections, and running calls with an error. */
  readonly close: () => Promise<void>
}

export function createOutbound({ allowCidrs, limits: given = {}, lookup = systemLookup as LookupFunction }: OutboundOptions): Outbound {
  const limits = { ...defaultLimits, ...given }
  const refusalOf = createAddressPolicy(allowCidrs)

  const check = (url: URL): void => {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
      throw new OutboundError('scheme_refused', `${url.protocol.slice(0, -1)} is neither http nor https.`)
    }
    if (url.username !== '' || url.password !== '') {
      throw new OutboundError('credentials_refused', `The URL for ${url.host} has a user or a password in it; send a header instead.`)
    }
    const host = hostOf(url.hostname)
    const refusal = isIP(host) === 0 ? undefined : refusalOf(host)
    if (refusal !== undefined) throw refusedAddress(host, [`${host} (${refusal})`])
  }

  const judgedLookup = guardLookup(lookup, refusalOf)
  const judge = (url: URL): Promise<OutboundError | undefined> => {
    try {
      check(url)
    } catch (error) {
      if (error instanceof OutboundError) return Promise.resolve(error)
      throw error
    }
    const host = hostOf(url.hostname)
    if (isIP(host) !== 0) return Promise.resolve(undefined)
    const resolved = new Promise<OutboundError | undefined>((resolve) => judgedLookup(host, { all: true }, (error) => resolve(outboundErrorIn(error))))
    return Promise.race([resolved, delay(resolveMsMax, undefined, { ref: false })])
  }

  const agent = new Agent({
    connect: createGuardedConnector({ refusalOf, lookup, connectTimeoutMs: limits.connectTimeoutMs }),
    headersTimeout: timerOf(limits.headersTimeoutMs),
    bodyTimeout: timerOf(limits.idleTimeoutMs),
  })
  return {
    fetch: createOutboundFetch({ dispatcher: agent, limits, check }),
    passOn: (call, handler) => {
      check(call.url)
      return passOn(agent, call, { headersTimeoutMs: timerOf(limits.headersTimeoutMs), idleTimeoutMs: timerOf(limits.idleTimeoutMs) }, handler)
    },
    check,
    refusalOf: judge,
    close: () => agent.destroy(),
  }
}

/** Who only asks whether a name may be called does not wait for it longer. */
const resolveMsMax = 1_000

/** The client writes "none" as 0. */
const timerOf = (ms: number): number => (Number.isFinite(ms) ? ms : 0)
