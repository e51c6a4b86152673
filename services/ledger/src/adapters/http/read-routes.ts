/** Reading events back: a page, a stream of all, one event, its bytes (contract §3). */
import { Readable } from 'node:stream'
import { LedgerError } from '@a2a-ledger/domain'
import { type App, jsonType, problemSchema, sendAsIs } from '@a2a-ledger/service-kit/http'
import type { EventFilter, RecordedEvent } from '../../app/ports.ts'
import type { Edge } from './edge.ts'
import { toEventJson, toEventLine } from './event-json.ts'
import { eventPageSchema, eventsQuery, positionParams, recordedEventSchema } from './schemas.ts'

const pageLimitDefault = 100
/** A page ends early when it is this large; `next` then leads on. */
const pageBytesMax = 16 * 1024 * 1024
const chunkMin = 8
const chunkMax = 500

export function addReadRoutes(app: App, edge: Edge): void {
  app.get('/v1/events', {
    schema: {
      summary: 'Events in the order of their positions.',
      description:
        'With `Accept: application/x-ndjson`: one event a line, up to the head at the time of the call.',
      querystring: eventsQuery,
      response: { 200: eventPageSchema, 400: problemSchema },
    },
    handler: async (request, reply) => {
      const { after = 0, limit, correlationId, workerId, type } = request.query
      const filter = {
        ...(correlationId === undefined ? {} : { correlationId }),
        ...(workerId === undefined ? {} : { workerId }),
        ...(type === undefined ? {} : { type }),
      }
      if (wantsLines(request.headers.accept ?? '')) {
        const { head } = await edge.reader.identity()
        const events = eventsUpTo(edge, filter, { after, head, count: limit ?? Infinity })
        return sendAsIs(reply, 'application/x-ndjson; charset=utf-8', Readable.from(lines(events)))
      }
      const page = await readPage(edge, filter, after, limit ?? pageLimitDefault)
      return sendAsIs(reply, jsonType, page)
    },
  })

  app.get('/v1/events/:position', {
    schema: {
      summary: 'One event.',
      params: positionParams,
      response: { 200: recordedEventSchema, '4xx': problemSchema },
    },
    handler: async (request, reply) => {
      const event = await eventAt(edge, request.params.position)
      return sendAsIs(reply, jsonType, toEventJson(event))
    },
  })

  app.get('/v1/events/:position/data', {
    schema: {
      summary: 'The data of one event, byte for byte as received (credentials overwritten).',
      params: positionParams,
      response: { '4xx': problemSchema },
    },
    handler: async (request, reply) => {
      const event = await eventAt(edge, request.params.position)
      if (event.data === undefined) {
        throw new LedgerError('payload_erased', `The data of event ${event.position} was erased.`)
      }
      const contentType = event.attributes.datacontenttype ?? 'application/json'
      return sendAsIs(reply.headers(notAPage), contentType, event.data)
    },
  })
}

/** Recorded bytes are whatever a worker sent; no browser may take them for a page of ours. */
const notAPage = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
} as const

const wantsLines = (accept: string): boolean => /\bapplication\/(?:x-)?ndjson\b/i.test(accept)

async function eventAt({ reader }: Edge, position: number): Promise<RecordedEvent> {
  const event = await reader.event(position)
  if (event === undefined) throw new LedgerError('event_not_found', `There is no event ${position} yet.`)
  return event
}

async function readPage(edge: Edge, filter: EventFilter, after: number, limit: number): Promise<string> {
  const texts: string[] = []
  let byteCount = 0
  let last = after
  let isFull = false
  for await (const event of eventsUpTo(edge, filter, { after, head: Infinity, count: limit })) {
    const text = toEventJson(event)
    texts.push(text)
    byteCount += text.length
    last = event.position
    isFull = texts.length === limit || byteCount >= pageBytesMax
    if (isFull) break
  }
  return `{"events":[${texts.join(',')}],"next":${isFull ? last : 'null'}}`
}

/**
 * Matching events after `after`, at most `count`, none above `head`.
 *
 * Read in chunks that follow the size of what came before, so that events of 8 MiB never fill the
 * memory and small ones do not cost a query each.
 */
async function* eventsUpTo(
  { reader }: Edge,
  filter: EventFilter,
  range: { readonly after: number; readonly head: number; readonly count: number },
): AsyncGenerator<RecordedEvent> {
  let after = range.after
  let left = range.count
  let chunk = chunkMin
  while (left > 0) {
    const limit = Math.min(chunk, left)
    const events = await reader.events(filter, after, limit)
    for (const event of events) {
      if (event.position > range.head) return
      yield event
      after = event.position
    }
    if (events.length < limit) return
    left -= events.length
    const bytes = events.reduce((sum, event) => sum + (event.data?.length ?? 0), 0)
    const fitting = Math.floor((events.length * pageBytesMax) / Math.max(1, bytes))
    chunk = Math.max(1, Math.min(chunkMax, chunk * 4, fitting))
  }
}

async function* lines(events: AsyncIterable<RecordedEvent>): AsyncGenerator<string> {
  for await (const event of events) yield toEventLine(event)
}
