import { describe, expect, test } from 'vitest'
import { createAddressPolicy, isCidr } from './address-policy.ts'

/** First and last address of each block of IANA's special-purpose registries that is not globally reachable. */
const specialBlocks: readonly (readonly [name: string, first: string, last: string])[] = [
  ['this network (RFC 791)', '0.0.0.0', '0.255.255.255'],
  ['private use (RFC 1918)', '10.0.0.0', '10.255.255.255'],
  ['shared address space (RFC 6598)', '100.64.0.0', '100.127.255.255'],
  ['loopback (RFC 1122)', '127.0.0.0', '127.255.255.255'],
  ['link local (RFC 3927)', '169.254.0.0', '169.254.255.255'],
  ['private use (RFC 1918)', '172.16.0.0', '172.31.255.255'],
  ['IETF protocol assignments (RFC 6890)', '192.0.0.0', '192.0.0.255'],
  ['documentation (RFC 5737)', '192.0.2.0', '192.0.2.255'],
  ['6to4 relay anycast (RFC 7526)', '192.88.99.0', '192.88.99.255'],
  ['private use (RFC 1918)', '192.168.0.0', '192.168.255.255'],
  ['benchmarking (RFC 2544)', '198.18.0.0', '198.19.255.255'],
  ['documentation (RFC 5737)', '198.51.100.0', '198.51.100.255'],
  ['documentation (RFC 5737)', '203.0.113.0', '203.0.113.255'],
  ['multicast (RFC 5771)', '224.0.0.0', '239.255.255.255'],
  ['reserved (RFC 1112)', '240.0.0.0', '255.255.255.254'],
  ['limited broadcast (RFC 8190)', '255.255.255.255', '255.255.255.255'],
  ['unspecified (RFC 4291)', '::', '::'],
  ['loopback (RFC 4291)', '::1', '::1'],
  ['IPv4-compatible (RFC 4291)', '::2', '::ffff:ffff'],
  ['IPv4-mapped loopback (RFC 4291)', '::ffff:127.0.0.0', '::ffff:127.255.255.255'],
  ['IPv4-mapped private use', '::ffff:10.0.0.0', '::ffff:10.255.255.255'],
  ['IPv4-translated (RFC 6145)', '::ffff:0:0:0', '::ffff:0:ffff:ffff'],
  ['NAT64 of private use (RFC 6052)', '64:ff9b::10.0.0.0', '64:ff9b::10.255.255.255'],
  ['NAT64 of loopback (RFC 6052)', '64:ff9b::127.0.0.0', '64:ff9b::127.255.255.255'],
  ['NAT64 of a site (RFC 8215)', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['discard only (RFC 6666)', '100::', '100::ffff:ffff:ffff:ffff'],
  ['dummy prefix (RFC 9780)', '100:0:0:1::', '100:0:0:1:ffff:ffff:ffff:ffff'],
  ['Teredo (RFC 4380)', '2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['benchmarking (RFC 5180)', '2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff'],
  ['ORCHID (RFC 4843)', '2001:10::', '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['documentation (RFC 3849)', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['6to4 (RFC 3056)', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['documentation (RFC 9637)', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['segment routing (RFC 9602)', '5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['unique local (RFC 4193)', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['link local (RFC 4291)', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['site local (RFC 3879)', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['multicast (RFC 4291)', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['outside global unicast', '4000::', '4000:ffff::'],
]

/** Just outside the blocks above, and well-known public ones. */
const publicAddresses: readonly string[] = [
  '1.0.0.0', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0', '169.253.255.255',
  '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.0.1.0', '192.0.3.0', '192.167.255.255', '192.169.0.0', '198.17.255.255',
  '198.20.0.0', '223.255.255.255', '8.8.8.8', '168.63.129.15', '168.63.129.17', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8',
  '2000::1', '2001:4860:4860::8888', '2606:4700:4700::1111', '2a00:1450:4001::1', '3ffe:ffff::1',
]

const unasked = createAddressPolicy([])

describe('without an allowed block', () => {
  test.each(specialBlocks)('%s: %s to %s is refused', (_name, first, last) => {
    expect([first, last].map(unasked)).toEqual([expect.any(String), expect.any(String)])
  })

  test.each(publicAddresses)('%s may be called', (address) => {
    expect(unasked(address)).toBeUndefined()
  })

  test.each(['', 'localhost', '127.1', '0x7f000001', '2130706433', '127.0.0.1.', '[::1]', '10.0.0.0/8', '::1::'])('%j, which is no address, is refused', (text) => {
    expect(unasked(text)).toBe('not an address')
  })

  test('a zone changes nothing', () => {
    expect(unasked('fe80::1%eth0')).toBe('linkLocal')
  })

  test('the host service of a cloud is refused although its address is public', () => {
    expect(unasked('168.63.129.16')).toBe('host service')
  })
})

describe('an allowed block', () => {
  const allowed: readonly (readonly [blocks: string, address: string, isAllowed: boolean])[] = [
    ['127.0.0.0/8', '127.0.0.1', true],
    ['127.0.0.0/8', '::ffff:127.0.0.1', true],
    ['127.0.0.1/8', '127.3.2.1', true],
    ['127.0.0.0/8', '::1', false],
    ['127.0.0.0/8', '0.0.0.0', false],
    ['127.0.0.0/8', '64:ff9b::127.0.0.1', false],
    ['127.0.0.0/8', '10.0.0.1', false],
    ['127.0.0.0/8,::1/128', '::1', true],
    ['127.0.0.0/8,::1/128', '::', false],
    ['127.0.0.0/8,::1/128', '::2', false],
    ['10.1.0.0/16', '10.1.255.255', true],
    ['10.1.0.0/16', '10.2.0.0', false],
    ['10.1.0.0/16', '8.8.8.8', true],
    ['64:ff9b::/96', '64:ff9b::10.0.0.1', true],
    ['fd00::/8', 'fd00:ec2::254', true],
    ['fd00::/8', 'fc00::1', false],
    ['fe80::/10', 'fe80::1%eth0', true],
    ['168.63.129.16/32', '168.63.129.16', true],
    ['0.0.0.0/0', '127.0.0.1', true],
    ['0.0.0.0/0', '::1', false],
  ]
  test.each(allowed)('%s and %s: %s', (blocks, address, isAllowed) => {
    expect(createAddressPolicy(blocks.split(','))(address) === undefined).toBe(isAllowed)
  })

  test.each([
    ['10.0.0.0/8', true],
    ['0.0.0.0/0', true],
    ['::/0', true],
    ['fd00::/8', true],
    ['::1/128', true],
    ['10.0.0.0', false],
    ['10.0.0.0/33', false],
    ['::1/129', false],
    ['10.0.0.0/-1', false],
    ['10.0.0.0/', false],
    ['10.0.0.0/8/8', false],
    ['10.0.0/8', false],
    ['010.0.0.0/8', false],
    ['0x0a.0.0.0/8', false],
    ['localhost/8', false],
    ['fe80::%eth0/64', false],
    ['::ffff:10.0.0.0/104', false],
    ['', false],
  ])('%j is a block: %s', (text, isBlock) => {
    expect(isCidr(text)).toBe(isBlock)
    if (isBlock) expect(() => createAddressPolicy([text])).not.toThrow()
    else expect(() => createAddressPolicy([text])).toThrow(TypeError)
  })
})
