/**
 * Which addresses may be called: everything that is public, and what is allowed by name.
 *
 * Public is what is left when the special-purpose registries of IANA are taken away: for IPv6 what
 * lies in 2000::/3, for addresses that carry an IPv4 address in them (mapped, NAT64) what that one
 * is. An allowed block wins over everything, since somebody wrote it down.
 */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Block = readonly [Address, number]

/** Why an address is not called; `undefined`: it may be. */
export type AddressRefusal = string | undefined

/** Public by the registries, and answered by a cloud's own host: its metadata and its control. */
const hostServices = ['168.63.129.16/32'].map((cidr) => ipaddr.parseCIDR(cidr))
const globalUnicast = ipaddr.parseCIDR('2000::/3')
const nat64 = ipaddr.parseCIDR('64:ff9b::/96')

/** True for an address with the length of its prefix, `10.0.0.0/8` or `fd00::/8`. */
export const isCidr = (text: string): boolean => blockOf(text) !== undefined

function blockOf(text: string): Block | undefined {
  const [base = '', length = '', ...rest] = text.split('/')
  const family = isIP(base)
  if (rest.length > 0 || family === 0 || base.includes('%') || !/^\d{1,3}$/.test(length)) return undefined
  const address = ipaddr.parse(base)
  // A mapped block would never match: what is mapped is looked at as what it is.
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()) return undefined
  return Number(length) > (family === 4 ? 32 : 128) ? undefined : [address, Number(length)]
}

const isWithin = (address: Address, [base, length]: Block): boolean =>
  address.kind() === base.kind() && address.match(base, length)

/**
 * Judges addresses as a resolver or a URL gives them, a zone behind `%` included.
 *
 * Errors: throws for a block that {@link isCidr} does not take.
 */
export function createAddressPolicy(allowCidrs: readonly string[]): (address: string) => AddressRefusal {
  const allowed = allowCidrs.map((cidr) => {
    const block = blockOf(cidr)
    if (block === undefined) throw new TypeError(`${cidr} is no block of addresses like 10.0.0.0/8.`)
    return block
  })
  return (text) => {
    const [bare = ''] = text.split('%', 1)
    if (isIP(bare) === 0) return 'not an address'
    const address = ipaddr.process(bare) // a mapped IPv4 address is that IPv4 address
    return allowed.some((block) => isWithin(address, block)) ? undefined : specialPurposeOf(address)
  }
}

function specialPurposeOf(address: Address): AddressRefusal {
  if (isWithin(address, nat64)) return specialPurposeOf(ipaddr.fromByteArray(address.toByteArray().slice(-4)))
  const range = address.range()
  if (range !== 'unicast') return range
  if (hostServices.some((block) => isWithin(address, block))) return 'host service'
  return address.kind() === 'ipv6' && !isWithin(address, globalUnicast) ? 'not global unicast' : undefined
}
