/** What every route module gets: the Fastify instance, and what it works with. */
import type { Readable } from 'node:stream'
import type { Codec } from '@a2a-ledger/domain'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Ledger, LedgerReader } from '../../app/ports.ts'
import type { Metrics } from './metrics.ts'

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>

export interface Edge {
  readonly ledger: Ledger
  readonly reader: LedgerReader
  readonly codec: Codec
  readonly metrics: Metrics
}

/** Sends `content` as it is, past the serializer: text that was spliced, bytes, streams. */
export const sendAsIs = (
  reply: FastifyReply,
  contentType: string,
  content: string | Uint8Array | Readable,
): FastifyReply => reply.type(contentType).send(content)

export const jsonType = 'application/json; charset=utf-8'
