/** A ledger that remembers what it is told, and can be away. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { freePort } from './free-port.ts'

export interface ToldEvent {
  readonly type: string
  readonly id: string
  readonly source: string
  readonly workerid?: string
  readonly data: unknown
  readonly [attribute: string]: unknown
}

export interface FakeLedger {
  readonly url: string
  /** Each once, in the order in which they came first. */
  readonly events: ToldEvent[]
  readonly gaps: Record<string, unknown>[]
  /** Where a worker answers; told as an enrolment. */
  readonly enrol: (workerId: string, address: { readonly url: string; readonly cardUrl?: string }, more?: object) => void
  /** Connections are refused until it comes back, at the same port. */
  readonly goAway: () => Promise<void>
  readonly comeBack: () => Promise<void>
  /** What it answers instead, by path; absent: as a ledger does. */
  answer: ((path: string, count: number) => { readonly status: number; readonly body: string } | undefined) | undefined
  readonly close: () => Promise<void>
}

export async function startFakeLedger(): Promise<FakeLedger> {
  const enrolments: Record<string, unknown>[] = []
  const keys = new Set<string>()
  const sockets = new Set<Socket>()
  let server: Server | undefined
  const port = await freePort()
  let head = 0

  const take = (event: ToldEvent) => {
    const key = JSON.stringify([event.source, event.id])
    const outcome = keys.has(key) ? 'duplicate' : 'recorded'
    if (outcome === 'recorded') {
      keys.add(key)
      head += 1
      ledger.events.push(event)
    }
    return { source: event.source, id: event.id, outcome, position: head, correlationId: 'k' }
  }

  const answerTo = (request: IncomingMessage, body: string): { readonly status: number; readonly body: string } => {
    const url = new URL(request.url ?? '', 'http://ledger')
    if (url.pathname === '/readyz') return ok({ ready: true, ledgerId: 'l-1', epoch: 1, head, durability: 'local' })
    if (url.pathname === '/v1/gaps') {
      const { gaps } = JSON.parse(body) as { gaps: Record<string, unknown>[] }
      const fresh = gaps.filter(({ id }) => !keys.has(`gap ${String(id)}`))
      for (const gap of fresh) keys.add(`gap ${String(gap['id'])}`)
      ledger.gaps.push(...fresh)
      return ok({ results: gaps.map(() => ({ outcome: 'recorded', position: head, correlationId: 'k' })) })
    }
    if (request.method === 'GET') return ok({ events: enrolments.filter(({ position }) => Number(position) > Number(url.searchParams.get('after'))), next: null })
    return ok({ results: eventsOf(request, body).map(take) })
  }

  const listen = async (): Promise<void> => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const body = Buffer.concat(chunks)
        const count = request.headers['content-type']?.includes('batch') ? (JSON.parse(body.toString()) as unknown[]).length : 1
        const { status, body: text } = ledger.answer?.(request.url ?? '', count) ?? answerTo(request, body.toString('latin1'))
        response.writeHead(status, { 'content-type': 'application/json' }).end(text)
      })
    })
    server.on('connection', (socket) => {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  const goAway = async (): Promise<void> => {
    const closed = once(server!, 'close')
    server!.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }

  const ledger: FakeLedger = {
    url: '',
    events: [],
    gaps: [],
    enrol: (workerId, address, more = {}) => {
      head += 1
      enrolments.push({ position: head, workerid: workerId, data: { interface: address, ...more } })
    },
    goAway,
    comeBack: listen,
    answer: undefined,
    close: goAway,
  }
  await listen()
  return Object.assign(ledger, { url: `http://127.0.0.1:${port}` })
}

const ok = (body: object) => ({ status: 200, body: JSON.stringify(body) })

/** `body`: its bytes as latin1, so that what is no text comes through. */
function eventsOf({ headers }: IncomingMessage, body: string): ToldEvent[] {
  if (headers['content-type']?.startsWith('application/cloudevents-batch') === true) {
    const events = JSON.parse(Buffer.from(body, 'latin1').toString('utf8')) as (ToldEvent & { data_base64?: string })[]
    return events.map(({ data_base64: encoded, ...event }) => (encoded === undefined ? event : { ...event, data: Buffer.from(encoded, 'base64') } as ToldEvent))
  }
  const attributes = Object.entries(headers).flatMap(([name, value]) => (name.startsWith('ce-') ? [[name.slice(3), decodeURIComponent(String(value))]] : []))
  return [{ ...(Object.fromEntries(attributes) as Record<string, string>), datacontenttype: headers['content-type'], data: Buffer.from(body, 'latin1') } as unknown as ToldEvent]
}
