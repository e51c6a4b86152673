/**
 * Ways around the rules, tried on real servers of this machine.
 *
 * 127.0.0.1 and ::1 stand for what must never be called, 127.0.0.2 for the world outside: only the
 * latter is allowed here. Nothing may ever connect to the former; where a spelling is meant to lead
 * there, the same call without the rules shows that it does.
 */
import type { LookupFunction } from 'node:net'
import { hostname } from 'node:os'
import { lookup as systemLookup } from 'node:dns'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createOutbound, type Outbound, OutboundError, refusalBeforeCall } from '../src/index.ts'
import { type DnsStub, type Script, startDnsStub } from './dns-stub.ts'
import { startServer, type TestServer } from './servers.ts'

/** What becomes of a call: a code of ours, or that there is no such URL or no such name. */
type Outcome = OutboundError['code'] | 'no url' | 'no name'

/** A row of the table: `{port}` is where the forbidden server listens, `{world}` the allowed one. */
interface Attempt {
  readonly url: string
  readonly outcome: Outcome
  /** Without the rules the call gets to the forbidden server. */
  readonly wouldReach?: true
}

const refused = (url: string): Attempt => ({ url, outcome: 'address_refused' })
const reaches = (url: string): Attempt => ({ url, outcome: 'address_refused', wouldReach: true })
const noUrl = (url: string): Attempt => ({ url, outcome: 'no url' })
const scheme = (url: string): Attempt => ({ url, outcome: 'scheme_refused' })

const spellingsOfIpv4: readonly Attempt[] = [
  reaches('http://127.0.0.1:{port}/'),
  reaches('http://127.1:{port}/'),
  reaches('http://127.0.1:{port}/'),
  reaches('http://127.0.0.1.:{port}/'),
  reaches('http://127.1.:{port}/'),
  reaches('http://127.000.000.001:{port}/'),
  reaches('http://0177.0.0.1:{port}/'),
  reaches('http://0177.0.0.01:{port}/'),
  reaches('http://0177.0000.0000.0001:{port}/'),
  reaches('http://00000177.1:{port}/'),
  reaches('http://0x7f.0.0.1:{port}/'),
  reaches('http://0x7f.1:{port}/'),
  reaches('http://0X7F.0X0.0X0.0X1:{port}/'),
  reaches('http://127.0x0.0.01:{port}/'),
  reaches('http://0x7f000001:{port}/'),
  reaches('http://0x0000007f000001:{port}/'),
  reaches('http://2130706433:{port}/'),
  reaches('http://017700000001:{port}/'),
  reaches('http://127.1:{port}/a2a/v1?x=1#y'),
  refused('http://127.255.255.254:{port}/'),
  refused('http://127.0.0.3:{port}/'),
  reaches('http://0.0.0.0:{port}/'),
  reaches('http://0:{port}/'),
  reaches('http://0x0:{port}/'),
  noUrl('http://127.0.0.256:{port}/'),
  noUrl('http://4294967296:{port}/'),
  { url: 'http://127.0.0.0x1g:{port}/', outcome: 'no name' },
  noUrl('http://127.0.0.1.1.1:{port}/'),
]

const charactersInUrls: readonly Attempt[] = [
  reaches('http://１２７.０.０.１:{port}/'),
  reaches('http://①②⑦.⓪.⓪.①:{port}/'),
  reaches('http://127。0。0。1:{port}/'),
  reaches('http://127．0．0．1:{port}/'),
  reaches('http://127｡0｡0｡1:{port}/'),
  reaches('http://𝟏𝟐𝟕.𝟎.𝟎.𝟏:{port}/'),
  reaches('http://%31%32%37.0.0.1:{port}/'),
  reaches('http://127%2e0%2e0%2e1:{port}/'),
  reaches('http://127.0.\t0.1:{port}/'),
  reaches('http://127.0\n.0.1:{port}/'),
  reaches('  http://127.0.0.1:{port}/'),
  reaches('http:\\\\127.0.0.1:{port}/'),
  reaches('http:/127.0.0.1:{port}/'),
  reaches('http:127.0.0.1:{port}/'),
  reaches('HTTP://127.0.0.1:{port}/'),
  reaches('http://///127.0.0.1:{port}/'),
  reaches('http://127.0.0.1:{port}#@world.test/'),
  reaches('http://127.0.0.1:{port}?@world.test/'),
  reaches('http://127.0.0.1:{port}\\@world.test/'),
  reaches('http://127.0.0.1:{port}/;@world.test/'),
  reaches('http://@127.0.0.1:{port}/'),
  reaches('http://:@127.0.0.1:{port}/'),
  reaches('http://127.0.0.1:0{port}/'),
  reaches('http://1\u00ad27.0.0.1:{port}/'),
  noUrl('http://127.0.0.1%00.world.test:{port}/'),
  noUrl('http://127.0.0.1%20:{port}/'),
  noUrl('http://127.0.0.1:{port}:80/'),
  noUrl('http://127.0.0.1:99999/'),
  noUrl('http://127.0.0.1:{port}@/'),
]

const credentials: readonly Attempt[] = [
  'http://world.test@127.0.0.1:{port}/',
  'http://world.test:80@127.0.0.1:{port}/',
  'http://user:password@127.0.0.1:{port}/',
  'http://user@world.test:{world}/',
  'http://:password@world.test:{world}/',
  'http://world.test%2f@127.0.0.1:{port}/',
  'http://127.0.0.1:{port}%40@world.test:{world}/',
].map((url) => ({ url, outcome: 'credentials_refused' }))

const ipv6: readonly Attempt[] = [
  reaches('http://[::1]:{port}/'),
  reaches('http://[0:0:0:0:0:0:0:1]:{port}/'),
  reaches('http://[0000:0000:0000:0000:0000:0000:0000:0001]:{port}/'),
  reaches('http://[::0.0.0.1]:{port}/'),
  reaches('http://[::]:{port}/'),
  reaches('http://[0::0]:{port}/'),
  reaches('http://[::ffff:127.0.0.1]:{port}/'),
  reaches('http://[::ffff:7f00:1]:{port}/'),
  reaches('http://[::FFFF:7F00:0001]:{port}/'),
  reaches('http://[0:0:0:0:0:ffff:127.0.0.1]:{port}/'),
  refused('http://[::127.0.0.1]:{port}/'), // compatible, deprecated
  refused('http://[::7f00:1]:{port}/'),
  refused('http://[::ffff:0:127.0.0.1]:{port}/'), // translated (SIIT)
  refused('http://[64:ff9b::127.0.0.1]:{port}/'), // NAT64
  refused('http://[64:ff9b::a9fe:a9fe]:{port}/'),
  refused('http://[64:ff9b::10.0.0.1]:{port}/'),
  refused('http://[64:ff9b:1::7f00:1]:{port}/'), // NAT64, of a site
  refused('http://[2002:7f00:1::]:{port}/'), // 6to4
  refused('http://[2002:a9fe:a9fe::1]:{port}/'),
  refused('http://[2001:0:0:0:0:0:80ff:fffe]:{port}/'), // Teredo, whose client is 127.0.0.1
  refused('http://[fe80::1]:{port}/'),
  refused('http://[febf::1]:{port}/'),
  refused('http://[fc00::1]:{port}/'),
  refused('http://[fd12:3456::1]:{port}/'),
  refused('http://[fec0::1]:{port}/'),
  refused('http://[ff02::1]:{port}/'),
  refused('http://[ff05::2]:{port}/'),
  refused('http://[100::1]:{port}/'),
  refused('http://[2001:db8::1]:{port}/'),
  refused('http://[3fff::1]:{port}/'),
  refused('http://[5f00::1]:{port}/'),
  refused('http://[4000::1]:{port}/'),
  refused('http://[::ffff:10.0.0.1]:{port}/'),
  refused('http://[::ffff:169.254.169.254]:{port}/'),
  refused('http://[::ffff:0.0.0.0]:{port}/'),
  noUrl('http://[::1%25lo]:{port}/'),
  noUrl('http://[fe80::1%25lo]:{port}/'),
  noUrl('http://[fe80::1%lo]:{port}/'),
  noUrl('http://[[::1]]:{port}/'),
  noUrl('http://::1:{port}/'),
  noUrl('http://[::1.]:{port}/'),
]

const privateAndMetadata: readonly Attempt[] = [
  'http://10.0.0.1/',
  'http://10.255.255.255/',
  'http://172.16.0.1/',
  'http://172.31.255.254/',
  'http://192.168.0.1/',
  'http://192.168.255.255:8080/',
  'http://100.64.0.1/',
  'http://169.254.169.254/latest/meta-data/', // AWS, Azure, Google, OpenStack, DigitalOcean
  'http://169.254.170.2/v2/credentials/', // AWS ECS
  'http://169.254.170.23/v1/credentials', // AWS EKS
  'http://169.254.0.23/', // Tencent
  'http://100.100.100.200/latest/meta-data/', // Alibaba
  'http://192.0.0.192/latest/', // Oracle
  'http://168.63.129.16/metadata/', // Azure's host, a public address
  'http://[fd00:ec2::254]/latest/meta-data/', // AWS over IPv6
  'http://[fd20:ce::254]/computeMetadata/v1/', // Google over IPv6
  'http://2852039166/latest/meta-data/',
  'http://0xa9fea9fe/',
  'http://0xA9.0xFE.0xA9.0xFE/',
  'http://0251.0376.0251.0376/',
  'http://025177524776/',
  'http://169.254.43518/',
  'http://169.16689662/',
  'http://①⑥⑨.②⑤④.①⑥⑨.②⑤④/',
  'http://198.18.0.1/',
  'http://192.0.2.1/',
  'http://198.51.100.1/',
  'http://203.0.113.1/',
  'http://192.88.99.1/',
  'http://224.0.0.1/',
  'http://239.255.255.250:1900/',
  'http://240.0.0.1/',
  'http://255.255.255.255/',
].map(refused)

const schemes: readonly Attempt[] = [
  'file:///etc/passwd',
  'file://127.0.0.1/etc/passwd',
  'ftp://127.0.0.1:{port}/',
  'gopher://127.0.0.1:{port}/_GET%20/',
  'dict://127.0.0.1:{port}/info',
  'ldap://127.0.0.1:{port}/',
  'ws://127.0.0.1:{port}/',
  'wss://127.0.0.1:{port}/',
  'data:application/json,{"name":"card"}',
  'blob:http://127.0.0.1:{port}/0b0b',
  'about:blank',
  'javascript:fetch("http://127.0.0.1:{port}/")',
  'http+unix://%2Fvar%2Frun%2Fdocker.sock/info',
  'unix:/var/run/docker.sock:/info',
  'jar:http://127.0.0.1:{port}/x!/',
  'view-source:http://127.0.0.1:{port}/',
].map(scheme)

/** Names as the system resolves them: `/etc/hosts` and whatever else. */
const systemNames: readonly string[] = [
  'localhost', 'LOCALHOST', 'LocalHost.', 'localhost.', 'a2a.localhost', 'localhost.localdomain', 'ip6-localhost', 'ip6-loopback',
  'loopback', 'metadata.google.internal', hostname(),
]

const names: Readonly<Record<string, { readonly script: Script; readonly wouldReach?: true }>> = {
  'loopback.test': { script: [['127.0.0.1']], wouldReach: true },
  '127.0.0.1.nip.test': { script: [['127.0.0.1']], wouldReach: true },
  'loopback6.test': { script: [['::1']], wouldReach: true },
  'mapped.test': { script: [['::ffff:127.0.0.1']], wouldReach: true },
  'zero.test': { script: [['0.0.0.0']], wouldReach: true },
  'zero6.test': { script: [['::']], wouldReach: true },
  'alias.test': { script: [['loopback.test']], wouldReach: true },
  'alias-of-alias.test': { script: [['alias.test']], wouldReach: true },
  'both.test': { script: [['127.0.0.1', '::1']], wouldReach: true },
  'xn--bcher-kva.test': { script: [['127.0.0.1']], wouldReach: true },
  'private.test': { script: [['10.0.0.1', '192.168.0.1', '172.16.0.1']] },
  'metadata.test': { script: [['169.254.169.254']] },
  'metadata6.test': { script: [['fd00:ec2::254']] },
  'link-local.test': { script: [['fe80::1']] },
  'nat64.test': { script: [['64:ff9b::7f00:1']] },
  'six-to-four.test': { script: [['2002:7f00:1::']] },
  'teredo.test': { script: [['2001::80ff:fffe']] },
  'compatible.test': { script: [['::127.0.0.1']] },
  'broadcast.test': { script: [['255.255.255.255']] },
}

const byName: readonly Attempt[] = [
  ...Object.entries(names).map(([name, { wouldReach }]): Attempt => ({ url: `http://${name}:{port}/`, outcome: 'address_refused', ...(wouldReach && { wouldReach }) })),
  reaches('http://LOOPBACK.test:{port}/'),
  reaches('http://loopback%2Etest:{port}/'),
  reaches('http://bücher.test:{port}/'),
  reaches('https://loopback.test:{port}/'),
  { url: 'http://nowhere.test:{port}/', outcome: 'no name' },
]

/** Where the allowed server redirects to, by the path it is asked for. */
const redirects: readonly (Attempt & { readonly status: number })[] = [
  { status: 301, ...reaches('http://127.0.0.1:{port}/') },
  { status: 302, ...reaches('http://127.0.0.1:{port}/') },
  { status: 303, ...reaches('http://127.0.0.1:{port}/') },
  { status: 307, ...reaches('http://127.0.0.1:{port}/') },
  { status: 308, ...reaches('http://127.0.0.1:{port}/') },
  { status: 302, ...reaches('//127.0.0.1:{port}/') },
  { status: 302, ...reaches('\\\\127.0.0.1:{port}/') },
  { status: 302, ...reaches('http://2130706433:{port}/') },
  { status: 302, ...reaches('http://[::1]:{port}/') },
  { status: 302, ...reaches('http://[::ffff:127.0.0.1]:{port}/') },
  { status: 302, ...reaches('http://loopback.test:{port}/') },
  { status: 302, ...reaches('http://127.0.0.1:{port}/\tx') },
  { status: 302, ...refused('http://169.254.169.254/latest/meta-data/') },
  { status: 307, ...refused('http://metadata.test/latest/meta-data/') },
  { status: 302, ...scheme('file:///etc/passwd') },
  { status: 302, ...scheme('ftp://127.0.0.1:{port}/') },
  { status: 302, ...scheme('gopher://127.0.0.1:{port}/_') },
  { status: 302, ...scheme('data:text/plain,hello') },
  { status: 302, url: 'http://user:password@world.test:{world}/', outcome: 'credentials_refused' },
  { status: 302, url: 'http://[', outcome: 'redirect_refused' },
  { status: 302, url: '/redirect/loop', outcome: 'redirects_exceeded' },
]

const table = [
  ...spellingsOfIpv4, ...charactersInUrls, ...credentials, ...ipv6, ...privateAndMetadata, ...schemes, ...byName,
]

let forbidden: TestServer
let world: TestServer
let dns: DnsStub
let guarded: Outbound
let unguarded: Outbound

beforeAll(async () => {
  forbidden = await startServer(['127.0.0.1', '::1'], (_request, response) => response.setHeader('connection', 'close').end('secret'))
  world = await startServer(['127.0.0.2'], ({ url = '' }, response) => {
    const [, kind, at = ''] = url.split('/')
    const target = at === 'loop' ? '/redirect/loop' : redirects[Number(at)]?.url
    if (kind !== 'redirect' || target === undefined) return response.setHeader('connection', 'close').end('hello')
    return response.writeHead(redirects[Number(at)]?.status ?? 302, { location: filled(target) }).end()
  })
  dns = await startDnsStub({
    ...Object.fromEntries(Object.entries(names).map(([name, { script }]) => [name, script])),
    'world.test': [['127.0.0.2']],
    'rebinding.test': [['127.0.0.2'], ['127.0.0.1']],
    'rebinding-back.test': [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.1']],
    'mixed.test': [['127.0.0.1', '127.0.0.2', '::1']],
  })
  const limits = { connectTimeoutMs: 60_000 }
  guarded = createOutbound({ allowCidrs: ['127.0.0.2/32'], lookup: dns.lookup, limits })
  unguarded = createOutbound({ allowCidrs: ['0.0.0.0/0', '::/0'], lookup: dns.lookup, limits })
})
afterAll(async () => {
  await Promise.all([guarded, unguarded].map((each) => each?.close()))
  await Promise.all([forbidden, world].map((each) => each?.close()))
  dns?.close()
})

/** A port stands for the one that is not known yet. */
const filledWith = (url: string, port = 1): string => url.replaceAll('{port}', String(port)).replaceAll('{world}', String(port))
const filled = (url: string): string => url.replaceAll('{port}', String(forbidden.port)).replaceAll('{world}', String(world.port))
const worldUrl = (path: string): string => `http://world.test:${world.port}${path}`

async function outcomeOf(call: Promise<Response>): Promise<string> {
  try {
    const response = await call
    return `answered ${response.status} ${await response.text()}`
  } catch (error) {
    if (error instanceof OutboundError) return error.code
    const { code, cause } = error as NodeJS.ErrnoException
    if (code === 'ERR_INVALID_URL') return 'no url'
    return (cause as NodeJS.ErrnoException | undefined)?.code === 'ENOTFOUND' ? 'no name' : String(error)
  }
}

test('the table has at least a hundred ways, each once', () => {
  const all = [...table.map(({ url }) => url), ...redirects.map(({ url, status }) => `${status} ${url}`), ...systemNames]
  expect(new Set(all).size).toBe(all.length)
  expect(all.length).toBeGreaterThanOrEqual(100)
})

describe.each([
  ['IPv4 spellings', spellingsOfIpv4],
  ['characters in URLs', charactersInUrls],
  ['credentials', credentials],
  ['IPv6', ipv6],
  ['private networks and metadata', privateAndMetadata],
  ['schemes', schemes],
  ['names', byName],
])('%s', (_kind, attempts) => {
  test.each(attempts)('$url is not called', async ({ url, outcome }) => {
    const before = forbidden.connections()
    expect(await outcomeOf(guarded.fetch(filled(url)))).toBe(outcome)
    expect(forbidden.connections()).toBe(before)
  })

  test.each(attempts.filter(({ url, outcome }) => outcome !== 'no name' && URL.canParse(filledWith(url))))('$url is told to be one that would not be, before anything is called', async ({ url, outcome }) => {
    const before = forbidden.connections()
    expect((await guarded.refusalOf(new URL(filled(url))))?.code).toBe(outcome)
    expect(forbidden.connections()).toBe(before)
  })
})

test.each(['http://world.test/', 'http://127.0.0.2/', 'http://mixed.test/', 'http://nowhere.test/'])('nothing is told against %s', async (url) => {
  expect(await guarded.refusalOf(new URL(url))).toBeUndefined()
})

test('who asks about a name that nobody resolves does not wait for it', async () => {
  const mute = createOutbound({ allowCidrs: [], lookup: () => undefined })
  expect(await mute.refusalOf(new URL('http://mute.test/'))).toBeUndefined()
  await mute.close()
})

test.each([
  ['http://127.0.0.1/', 'address_refused'],
  ['http://loopback.test/', 'address_refused'],
  ['ftp://world.test/', 'scheme_refused'],
  ['http://user@world.test/', 'credentials_refused'],
])('what is refused at %s was never sent', async (url, code) => {
  const error: unknown = await guarded.fetch(url).catch((refusal: unknown) => refusal)
  expect(refusalBeforeCall(error)?.code).toBe(code)
})

test.each([
  ['a redirect that is not followed', async () => guarded.fetch(worldUrl('/redirect/0'), { method: 'POST', redirect: 'error' })],
  ['a name that does not resolve', async () => guarded.fetch('http://nowhere.test/')],
])('after %s something may have been sent, for all that the rules know', async (_what, call) => {
  const error: unknown = await call().catch((failure: unknown) => failure)
  expect(error).toBeInstanceOf(Error)
  expect(refusalBeforeCall(error)).toBeUndefined()
})

test.each(systemNames)('%s, as the system resolves it, is not called', async (name) => {
  const bySystem = createOutbound({ allowCidrs: [], lookup: systemLookup as LookupFunction })
  const before = forbidden.connections()
  expect(await outcomeOf(bySystem.fetch(`http://${name}:${forbidden.port}/`))).toMatch(/^(address_refused|no name|TypeError: fetch failed)$/)
  expect(forbidden.connections()).toBe(before)
  await bySystem.close()
})

describe('without the rules', () => {
  const ways = [
    ...table.map((attempt) => ({ ...attempt, by: 'a call of', from: () => filled(attempt.url) })),
    ...redirects.map((attempt, at) => ({ ...attempt, by: `a ${attempt.status} to`, from: () => worldUrl(`/redirect/${at}`) })),
  ]
  test.each(ways.filter(({ wouldReach }) => wouldReach))('$by $url leads to the forbidden server', async ({ from }) => {
    const before = forbidden.connections()
    await outcomeOf(unguarded.fetch(from()))
    expect(forbidden.connections()).toBeGreaterThan(before) // of two addresses the second is tried where the first takes its time
  })
})

describe('redirects', () => {
  test.each(redirects.map((row, at) => ({ ...row, at })))('$status to $url is not followed', async ({ at, outcome }) => {
    const before = forbidden.connections()
    expect(await outcomeOf(guarded.fetch(worldUrl(`/redirect/${at}`)))).toBe(outcome)
    expect(forbidden.connections()).toBe(before)
  })
})

describe('rebinding', () => {
  test('a name that changes between two calls is judged at each connection', async () => {
    const url = `http://rebinding.test:${world.port}/`
    const before = forbidden.connections()
    expect(await outcomeOf(guarded.fetch(url))).toBe('answered 200 hello')
    expect(dns.askedFor('rebinding.test')).toBe(1) // once a connection: the address that was judged is the one called
    expect(await outcomeOf(guarded.fetch(url))).toBe('address_refused')
    expect(forbidden.connections()).toBe(before)
  })

  test('a refusal is not remembered as an answer', async () => {
    const url = `http://rebinding-back.test:${world.port}/`
    expect(await outcomeOf(guarded.fetch(url))).toBe('address_refused')
    expect(await outcomeOf(guarded.fetch(url))).toBe('answered 200 hello')
    expect(await outcomeOf(guarded.fetch(url))).toBe('address_refused')
  })

  test('of several addresses only the allowed ones are called', async () => {
    const before = forbidden.connections()
    expect(await outcomeOf(guarded.fetch(`http://mixed.test:${world.port}/`))).toBe('answered 200 hello')
    expect(forbidden.connections()).toBe(before)
  })
})

test('what is allowed is called', async () => {
  expect(await outcomeOf(guarded.fetch(worldUrl('/')))).toBe('answered 200 hello')
  expect(await outcomeOf(guarded.fetch(`http://127.0.0.2:${world.port}/`))).toBe('answered 200 hello')
})

test('calls that are passed on hold the same line', async () => {
  const passed = (url: string): Promise<string> =>
    outcomeOf(
      new Promise((_resolve, reject) => {
        guarded.passOn({ url: new URL(filled(url)), method: 'GET', headers: [], body: undefined }, { head: ({ status }) => reject(new Error(`answered ${status}`)), data: () => undefined, end: () => undefined, failed: reject })
      }),
    )
  const before = forbidden.connections()
  for (const { url, outcome } of table.filter((each) => each.outcome === 'address_refused' || each.outcome === 'scheme_refused' || each.outcome === 'credentials_refused')) {
    expect([url, await passed(url)]).toEqual([url, outcome])
  }
  expect(forbidden.connections()).toBe(before)
})
