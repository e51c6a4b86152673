/**
 * The receiver of A2A push notifications (contract §3): v1.0 and v0.3 bodies, 204 when durable.
 *
 * A push that does not show the token configured for its task gets 401 and stays in quarantine. A
 * body that cannot be understood is kept there too, and answered 204: it is durable, and sending
 * it again would not help.
 */
import { LedgerError, readPayload, redactKept } from '@a2a-ledger/domain'
import { type App, problemSchema } from '@a2a-ledger/service-kit/http'
import type { FastifyBaseLogger } from 'fastify'
import { z } from 'zod'
import type { IncomingEvent } from '../../app/ports.ts'
import type { Edge } from './edge.ts'
import { bodyOf } from './event-routes.ts'
import { presentedSecrets } from './presented-secrets.ts'
import { redactHeaders } from '../../app/redact-headers.ts'
import { pushParams, pushQuery } from './schemas.ts'

const pushSource = 'urn:a2a-ledger:push'

export function addPushRoutes(app: App, edge: Edge): void {
  for (const url of ['/v1/push/:workerId', '/v1/push/:workerId/:correlationId']) {
    app.post(url, {
      schema: {
        summary: 'Receives an A2A push notification.',
        params: pushParams,
        querystring: pushQuery,
        response: {
          204: z.undefined().describe('Durable.'),
          '4xx': problemSchema,
          503: problemSchema,
        },
      },
      config: { bodies: { 'application/json': z.unknown(), 'application/a2a+json': z.unknown() } },
      handler: async (request, reply) => {
        const body = bodyOf(request)
        const event = toPushEvent(edge, request.params, {
          body,
          contentType: request.headers['content-type'],
          headers: redactHeaders(request.headers),
        })
        const { workerId, correlationId } = request.params
        const push = {
          workerId,
          correlationId,
          taskId: taskIdOf(edge, body),
          presented: presentedSecrets(request.headers),
        }
        if (!(await edge.ledger.isPushTrusted(push))) {
          await keepUntrusted(edge, event)
          edge.countInput('push', 'untrusted')
          throw new LedgerError(
            'push_unauthorized',
            'A token is configured for this task; send it as X-A2A-Notification-Token or Authorization.',
          )
        }
        for (const { outcome } of await edge.ledger.append([event])) {
          edge.countInput('push', outcome)
          if (outcome === 'duplicate') await countRepeat(edge, workerId, request.log)
        }
        return reply.code(204).send()
      },
    })
  }
}

/** The push is durable already: that it came again is worth less than its answer. */
async function countRepeat({ ledger }: Edge, workerId: string, log: FastifyBaseLogger): Promise<void> {
  try {
    await ledger.countPushRepeat(workerId)
  } catch (error) {
    log.warn({ err: error, workerId }, 'a repeated push is not counted')
  }
}

/** What the envelope of every push says, for those who read its body. */
const pushContext = { type: 'a2a.stream-response', operation: 'Push' } as const

interface PushRequest {
  readonly body: Uint8Array
  readonly contentType: string | undefined
  readonly headers: Readonly<Record<string, string>>
}

/**
 * The event that a push stands for. Its id is a hash of worker, correlation and raw body, so that
 * a repeated delivery is the same event; for the same reason no time is stated, which means the
 * time of arrival.
 */
function toPushEvent(
  { codec }: Edge,
  { workerId, correlationId }: { readonly workerId: string; readonly correlationId?: string | undefined },
  { body, contentType, headers }: PushRequest,
): IncomingEvent {
  const id = codec.sha256Hex(JSON.stringify([workerId, correlationId ?? null, codec.sha256Hex(body)]))
  return {
    via: 'push',
    headers,
    data: body.length === 0 ? undefined : body,
    attributes: {
      specversion: '1.0',
      id,
      source: pushSource,
      ...pushContext,
      workerid: workerId,
      ...(correlationId === undefined ? {} : { correlationid: correlationId }),
      ...(contentType === undefined ? {} : { datacontenttype: contentType }),
    },
  }
}

/** The task a body is about; `undefined` where it cannot be told. */
function taskIdOf({ codec }: Edge, body: Uint8Array): string | undefined {
  const text = codec.utf8Decode(body)
  const read = text === undefined ? undefined : readPayload(pushContext, text)
  if (read === undefined || read.outcome === 'quarantined') return undefined
  const { reading } = read
  if (reading.kind === 'message') return reading.message.taskId
  return 'taskId' in reading ? reading.taskId : undefined
}

async function keepUntrusted({ ledger, codec }: Edge, event: IncomingEvent): Promise<void> {
  const body = event.data ?? new Uint8Array()
  const text = codec.utf8Decode(body)
  await ledger.quarantine({
    reason: 'untrusted',
    detail: 'The push does not show the token that is configured for its task or worker.',
    via: 'push',
    source: pushSource,
    bytes: text === undefined ? body : codec.utf8Encode(redactKept(pushContext, text).text),
    headers: event.headers ?? {},
    attributes: event.attributes,
  })
}
