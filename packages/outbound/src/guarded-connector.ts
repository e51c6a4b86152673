/**
 * Makes connections to allowed addresses only.
 *
 * A name is resolved here, what it resolves to is judged, and the socket gets the judged addresses
 * and no name: nothing is resolved a second time, so an answer that changes in between changes
 * nothing. Every new connection is judged anew, those of redirects and of retries included; the
 * address that a socket then says it has is judged once more.
 */
import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import type { AddressRefusal } from './address-policy.ts'
import { OutboundError } from './outbound-error.ts'

export interface ConnectorOptions {
  readonly refusalOf: (address: string) => AddressRefusal
  readonly lookup: LookupFunction
  readonly connectTimeoutMs: number
}

export function createGuardedConnector({ refusalOf, lookup, connectTimeoutMs }: ConnectorOptions): buildConnector.connector {
  const connect = buildConnector({
    timeout: connectTimeoutMs,
    allowH2: false,
    lookup: guardLookup(lookup, refusalOf),
  } as buildConnector.BuildOptions)

  return (options, callback) => {
    const host = hostOf(options.hostname)
    const refusal = isIP(host) === 0 ? undefined : refusalOf(host)
    if (refusal !== undefined) {
      callback(refusedAddress(host, [`${host} (${refusal})`]), null)
      return
    }
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null)
      const remote = socket.remoteAddress ?? ''
      const late = refusalOf(remote)
      if (late === undefined) return callback(null, socket)
      socket.destroy()
      return callback(refusedAddress(host, [`${remote} (${late})`]), null)
    })
  }
}

/** A host as a URL has it: IPv6 addresses stand in brackets there. */
export const hostOf = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1')

export const refusedAddress = (host: string, refused: readonly string[]): OutboundError =>
  new OutboundError(
    'address_refused',
    `${host} is not called, since its address must not be: ${refused.join(', ')}. OUTBOUND_ALLOW_CIDRS allows blocks of addresses.`,
  )

/** The same lookup, without the addresses that must not be called; an error when none is left. */
export function guardLookup(lookup: LookupFunction, refusalOf: ConnectorOptions['refusalOf']): LookupFunction {
  return (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, answer, family) => {
      if (error !== null) return callback(error, '', 0)
      const found = Array.isArray(answer) ? answer : [{ address: answer, family: family ?? isIP(answer) }]
      const judged = found.map((each) => ({ ...each, refusal: refusalOf(each.address) }))
      const allowed = judged.filter(({ refusal }) => refusal === undefined).map(({ address, family: kind }) => ({ address, family: kind }))
      const [first] = allowed
      if (first === undefined) {
        return callback(refusedAddress(host, judged.map(({ address, refusal }) => `${address} (${refusal})`)), '', 0)
      }
      return options.all === true ? callback(null, allowed) : callback(null, first.address, first.family)
    })
  }
}
