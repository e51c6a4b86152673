/** Acting on decisions: who may send, and what became of it. */
import { type App, jsonType, problemSchema, sendAsIs } from '@a2a-ledger/service-kit/http'
import { approveVerdict } from '../../app/approve-verdict.ts'
import { claimDecision } from '../../app/claim-decision.ts'
import { maySend } from '../../app/may-send.ts'
import { settleDecision } from '../../app/settle-decision.ts'
import type { Edge } from './edge.ts'
import { approvalBody, approvalSchema, claimBody, claimSchema, decisionParams, maySendBody, maySendSchema, settleBody, settlementSchema, taskParams } from './schemas.ts'

const failures = { '4xx': problemSchema, '5xx': problemSchema }

export function addDecisionRoutes(app: App, edge: Edge): void {
  app.post('/v1/tasks/:correlationId/may-send', {
    schema: { summary: 'Asked before a send: whether the work is done, under way, or free to be sent.', params: taskParams, body: maySendBody, response: { 200: maySendSchema, ...failures } },
    handler: async (request, reply) =>
      sendAsIs(reply, jsonType, JSON.stringify(await maySend(edge, request.params.correlationId, request.body))),
  })

  for (const [word, answer, summary] of [
    ['approve', 'approved', 'A person lets the ledger send what was decided.'],
    ['decline', 'declined', 'A person says that nobody shall send what was decided.'],
  ] as const) {
    app.post(`/v1/tasks/:correlationId/verdict/${word}`, {
      schema: { summary, params: taskParams, body: approvalBody, response: { 200: approvalSchema, ...failures } },
      handler: async (request, reply) =>
        sendAsIs(reply, jsonType, JSON.stringify(await approveVerdict(edge, request.params.correlationId, answer, request.body))),
    })
  }

  app.post('/v1/decisions/:decisionId/claim', {
    schema: { summary: 'Only one of all who ask may send on a `redispatch`.', params: decisionParams, body: claimBody, response: { 200: claimSchema, ...failures } },
    handler: async (request, reply) => {
      const { decisionId } = request.params
      return sendAsIs(reply, jsonType, JSON.stringify(await claimDecision(edge, decisionId, request.body)))
    },
  })

  app.post('/v1/decisions/:decisionId/settle', {
    schema: { summary: 'What became of a claim, or of a permission to send.', params: decisionParams, body: settleBody, response: { 200: settlementSchema, ...failures } },
    handler: async (request, reply) => {
      const { decisionId } = request.params
      return sendAsIs(reply, jsonType, JSON.stringify(await settleDecision(edge, decisionId, request.body)))
    },
  })
}
