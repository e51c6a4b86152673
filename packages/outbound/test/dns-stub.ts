/** A name server on this machine that answers as a test tells it to, and a lookup that asks it. */
import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { isIP, type LookupFunction } from 'node:net'
import { type Answer, decode, encode } from 'dns-packet'

/** One entry an answer; the last one stays. An address, or a name as an alias of another. */
export type Script = readonly (readonly string[])[]

export interface DnsStub {
  readonly lookup: LookupFunction
  /** How often addresses of one family were asked for by this name. */
  readonly askedFor: (name: string) => number
  readonly close: () => void
}

export async function startDnsStub(scripts: Readonly<Record<string, Script>>): Promise<DnsStub> {
  const asked = new Map<string, number>()
  const socket = createSocket('udp4')
  socket.on('message', (message, from) => {
    const query = decode(message)
    const [question] = query.questions ?? []
    if (question === undefined) return
    const name = question.name.toLowerCase()
    const count = asked.get(`${question.type} ${name}`) ?? 0
    asked.set(`${question.type} ${name}`, count + 1)
    const answers = answersOf(scripts, name, question.type, count)
    const isKnown = scripts[name] !== undefined
    // dns-packet has no name for the code of an answer; 3 in the flags says that there is no such name.
    socket.send(encode({ type: 'response', id: query.id ?? 0, flags: isKnown ? 0 : 3, questions: [question], answers }), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const resolver = new Resolver({ timeout: 60_000, tries: 1 }) // asked once: what is asked for is counted
  resolver.setServers([`127.0.0.1:${socket.address().port}`])
  return {
    lookup: (host, options, callback) => {
      void lookupWith(resolver, host).then(
        (found) => (options.all === true ? callback(null, found) : callback(null, found[0]?.address ?? '', found[0]?.family)),
        (error: NodeJS.ErrnoException) => callback(error, '', 0),
      )
    },
    askedFor: (name) => asked.get(`A ${name}`) ?? 0,
    close: () => socket.close(),
  }
}

function answersOf(scripts: Readonly<Record<string, Script>>, name: string, type: string, count: number): Answer[] {
  const script = scripts[name] ?? []
  const values = script[Math.min(count, script.length - 1)] ?? []
  return values.flatMap((value): Answer[] => {
    const family = isIP(value)
    if (family === 0) return [{ type: 'CNAME', name, ttl: 0, data: value }, ...answersOf(scripts, value, type, count)]
    if (family === 4 && type === 'A') return [{ type: 'A', name, ttl: 0, data: value }]
    return family === 6 && type === 'AAAA' ? [{ type: 'AAAA', name, ttl: 0, data: value }] : []
  })
}

async function lookupWith(resolver: Resolver, host: string) {
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const found = [
    ...(four.status === 'fulfilled' ? four.value : []).map((address) => ({ address, family: 4 })),
    ...(six.status === 'fulfilled' ? six.value : []).map((address) => ({ address, family: 6 })),
  ]
  if (found.length > 0) return found
  throw four.status === 'rejected' ? four.reason : new Error(`${host} has no address`)
}
