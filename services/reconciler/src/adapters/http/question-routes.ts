/** "The worker gives no answer, what now?" */
import { type App, jsonType, problemSchema, sendAsIs } from '@a2a-ledger/service-kit/http'
import { whatNow } from '../../app/what-now.ts'
import type { Edge } from './edge.ts'
import { notFoundBody, questionHeaders, taskParams, verdictSchema, whatNowBody } from './schemas.ts'

const response = { 200: verdictSchema, '4xx': problemSchema, '5xx': problemSchema }

export function addQuestionRoutes(app: App, edge: Edge): void {
  app.post('/v1/tasks/:correlationId/not-found', {
    schema: { summary: 'The worker says TaskNotFound: records it and says what to do.', params: taskParams, headers: questionHeaders, body: notFoundBody, response },
    handler: async (request, reply) => {
      const question = { ...request.body, correlationId: request.params.correlationId, reason: 'not-found' as const }
      const verdict = await whatNow(edge, question, request.headers['idempotency-key'])
      return sendAsIs(reply, jsonType, JSON.stringify(verdict))
    },
  })

  app.post('/v1/what-now', {
    schema: { summary: 'Any other non-answer: records it and says what to do.', headers: questionHeaders, body: whatNowBody, response },
    handler: async (request, reply) => {
      const verdict = await whatNow(edge, request.body, request.headers['idempotency-key'])
      return sendAsIs(reply, jsonType, JSON.stringify(verdict))
    },
  })
}
