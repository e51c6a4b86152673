/** Links between what nobody attributed and the work it is part of. */
import { type App, jsonType, problemSchema, sendAsIs } from '@a2a-ledger/service-kit/http'
import { linkTask, listLinks, listSuggestions, unlinkTask } from '../../app/link-tasks.ts'
import type { Edge } from './edge.ts'
import { linkBody, linkListQuery, linkListSchema, linkSchema, pageLimitMax } from './schemas.ts'
import { waitFor } from './wait.ts'

const failures = { '4xx': problemSchema, '5xx': problemSchema }

export function addLinkRoutes(app: App, edge: Edge): void {
  app.get('/v1/links', {
    schema: { summary: 'Links that are suggested, or that stand.', querystring: linkListQuery, response: { 200: linkListSchema, ...failures } },
    handler: async (request, reply) => {
      const { after = '0', limit = pageLimitMax, status = 'suggested' } = request.query
      await waitFor(edge.applied, request.query)
      const page = await (status === 'linked' ? listLinks : listSuggestions)(edge.store, after, limit)
      return sendAsIs(reply, jsonType, JSON.stringify(page))
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
