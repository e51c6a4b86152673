/** Probes: started by an operator, told as far as they are. */
import { type App, jsonType, problemSchema, sendAsIs } from '@a2a-ledger/service-kit/http'
import { readProbe, startProbe } from '../../app/start-probe.ts'
import type { Edge } from './edge.ts'
import { probeBody, probeParams, probeSchema, probeStartedSchema, workerParams, workerQuery } from './schemas.ts'
import { waitFor } from './wait.ts'

const failures = { '4xx': problemSchema, '5xx': problemSchema }

export function addProbeRoutes(app: App, edge: Edge): void {
  app.post('/v1/workers/:workerId/probes', {
    schema: { summary: 'Probes a worker: a canary is sent, watched and answered.', params: workerParams, body: probeBody, response: { 202: probeStartedSchema, ...failures } },
    handler: async (request, reply) => {
      const started = await startProbe(edge, request.params.workerId, request.body ?? {})
      return sendAsIs(reply.code(202), jsonType, JSON.stringify(started))
    },
  })

  app.get('/v1/workers/:workerId/probes/:probeId', {
    schema: { summary: 'How far a probe is, and what it found.', params: probeParams, querystring: workerQuery, response: { 200: probeSchema, ...failures } },
    handler: async (request, reply) => {
      const { workerId, probeId } = request.params
      await waitFor(edge.applied, request.query)
      return sendAsIs(reply, jsonType, JSON.stringify(await readProbe(edge.store, workerId, probeId)))
    },
  })
}
