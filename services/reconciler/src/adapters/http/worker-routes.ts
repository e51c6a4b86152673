/** Workers: what is known about them, and what their operators decide. */
import { type App, jsonType, problemSchema, sendAsIs } from '@a2a-ledger/service-kit/http'
import { enrolWorker } from '../../app/enrol-worker.ts'
import { listWorkers, readWorker } from '../../app/read-worker.ts'
import type { Edge } from './edge.ts'
import { enrolmentBody, pageLimitMax, workerListQuery, workerListSchema, workerParams, workerQuery, workerSchema } from './schemas.ts'
import { waitFor } from './wait.ts'

const failures = { '4xx': problemSchema, '5xx': problemSchema }

export function addWorkerRoutes(app: App, edge: Edge): void {
  app.get('/v1/workers', {
    schema: { summary: 'Workers in the order in which they were first named.', querystring: workerListQuery, response: { 200: workerListSchema, ...failures } },
    handler: async (request, reply) => {
      const { after = 0, limit = pageLimitMax } = request.query
      await waitFor(edge.applied, request.query)
      return sendAsIs(reply, jsonType, JSON.stringify(await listWorkers(edge, after, limit)))
    },
  })

  app.get('/v1/workers/:workerId', {
    schema: { summary: 'What a worker promised, what was seen of it and what is verified.', params: workerParams, querystring: workerQuery, response: { 200: workerSchema, ...failures } },
    handler: async (request, reply) => {
      await waitFor(edge.applied, request.query)
      return sendAsIs(reply, jsonType, JSON.stringify(await readWorker(edge, request.params.workerId)))
    },
  })

  app.put('/v1/workers/:workerId', {
    schema: { summary: 'Enrols a worker, or changes its policy; members left out keep their value.', params: workerParams, body: enrolmentBody, response: { 200: workerSchema, ...failures } },
    handler: async (request, reply) => {
      const { workerId } = request.params
      await enrolWorker(edge, workerId, request.body)
      return sendAsIs(reply, jsonType, JSON.stringify(await readWorker(edge, workerId)))
    },
  })
}
