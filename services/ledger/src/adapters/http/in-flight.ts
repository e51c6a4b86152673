/** Bounds the bytes of request bodies that are held at once (design P5: memory does not grow). */
import { LedgerError } from '@a2a-ledger/domain'
import type { App, Metrics } from '@a2a-ledger/service-kit/http'
import type { FastifyRequest } from 'fastify'
import { bodyBytesMax } from './schemas.ts'

export function limitBytesInFlight(app: App, bytesMax: number, metrics: Metrics): void {
  let bytesInFlight = 0
  metrics.gauge('a2a_ledger_http_body_bytes_in_flight', 'Bytes of request bodies held.', () => bytesInFlight)
  app.addHook('onRequest', async (request, reply) => {
    const bytes = announcedBytes(request)
    if (bytes === 0) return
    if (bytesInFlight + bytes > bytesMax) {
      throw new LedgerError('overloaded', 'Too many bodies are being read; send the same again later.')
    }
    bytesInFlight += bytes
    reply.raw.once('close', () => {
      bytesInFlight -= bytes
    })
  })
}

/** A body of unknown length may become as large as is allowed. */
function announcedBytes(request: FastifyRequest): number {
  if (request.headers['transfer-encoding'] !== undefined) return bodyBytesMax
  const length = Number(request.headers['content-length'] ?? 0)
  return Number.isFinite(length) ? Math.min(length, bodyBytesMax) : bodyBytesMax
}
