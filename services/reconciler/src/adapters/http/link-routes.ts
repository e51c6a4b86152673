/** Links between what nobody attributed and the work it is part of. */
import { type App, jsonType, problemSchema, sendAsIs } from '@a2a-ledger/service-kit/http'
import { linkTask, listLinks, unlinkTask } from '../../app/link-tasks.ts'
import type { Edge } from './edge.ts'
import { linkBody, linkListQuery, linkListSchema, linkSchema, pageLimitMax } from './schemas.ts'
import { waitFor } from './wait.ts'

const failures = { '4xx': problemSchema, '5xx': problemSchema }

export function addLinkRoutes(app: App, edge: Edge): void {
  app.get('/v1/links', {
    schema: { summary: 'Links that stand.', querystring: linkListQuery, response: { 200: linkListSchema, ...failures } },
    handler: async (request, reply) => {
      const { after = 0, limit = pageLimitMax } = request.query
      await waitFor(edge.applied, request.query)
      return sendAsIs(reply, jsonType, JSON.stringify(await listLinks(edge.store, after, limit)))
    },
  })

  app.post('/v1/links', {
    schema: { summary: 'A synthetic task is part of a logical one.', body: linkBody, response: { 200: linkSchema, ...failures } },
    handler: async (request, reply) => sendAsIs(reply, jsonType, JSON.stringify(await linkTask(edge, request.body))),
  })

  app.post('/v1/links/undo', {
    schema: { summary: 'It is a task of its own again.', body: linkBody, response: { 200: linkSchema, ...failures } },
    handler: async (request, reply) => sendAsIs(reply, jsonType, JSON.stringify(await unlinkTask(edge, request.body))),
  })
}
