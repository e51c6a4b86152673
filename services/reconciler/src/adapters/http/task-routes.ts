/** Everything about one task, and the list of all. */
import { type App, jsonType, problemSchema, sendAsIs } from '@a2a-ledger/service-kit/http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { readArtifact, readRootCause, readTask, readTimeline, type Reading } from '../../app/read-task.ts'
import { listTasks } from '../../app/read-list.ts'
import type { Edge } from './edge.ts'
import {
  artifactParams,
  artifactQuery,
  pageLimitMax,
  rootCauseSchema,
  taskListQuery,
  taskListSchema,
  taskParams,
  taskQuery,
  taskViewSchema,
  timelineQuery,
  timelineSchema,
} from './schemas.ts'
import { waitFor } from './wait.ts'

const failures = { 308: z.undefined().describe('Merged: the task is under `Location`.'), '4xx': problemSchema, '5xx': problemSchema }

export function addTaskRoutes(app: App, edge: Edge): void {
  app.get('/v1/tasks', {
    schema: { summary: 'Tasks in the order of their first event.', querystring: taskListQuery, response: { 200: taskListSchema, '4xx': problemSchema, '5xx': problemSchema } },
    handler: async (request, reply) => {
      const { after = 0, limit = pageLimitMax, state, workerId, taskId, canary, atLeast, timeoutMs } = request.query
      const filter = { ...(state !== undefined && { state }), ...(workerId !== undefined && { workerId }), ...(taskId !== undefined && { taskId }), isCanary: canary === 'true' }
      const page = await listTasks(edge, filter, { after, limit }, { atLeast, timeoutMs })
      return sendAsIs(reply, jsonType, JSON.stringify(page))
    },
  })

  app.get('/v1/tasks/:correlationId', {
    schema: { summary: 'One logical task, reconciled.', params: taskParams, querystring: taskQuery, response: { 200: taskViewSchema, ...failures } },
    handler: async (request, reply) => {
      await waitFor(edge.applied, request.query)
      const reading = await readTask(edge, request.params.correlationId)
      return answer(request, reply, reading, (view, appliedPosition) => ({ ...view, appliedPosition }))
    },
  })

  app.get('/v1/tasks/:correlationId/timeline', {
    schema: { summary: 'Every event of the task in order, and what it changed.', params: taskParams, querystring: timelineQuery, response: { 200: timelineSchema, ...failures } },
    handler: async (request, reply) => {
      const { after = 0, limit = pageLimitMax } = request.query
      await waitFor(edge.applied, request.query)
      return answer(request, reply, await readTimeline(edge, request.params.correlationId, after, limit))
    },
  })

  app.get('/v1/tasks/:correlationId/root-cause', {
    schema: { summary: 'Why it is as it is, with the evidence.', params: taskParams, querystring: taskQuery, response: { 200: rootCauseSchema, ...failures } },
    handler: async (request, reply) => {
      await waitFor(edge.applied, request.query)
      return answer(request, reply, await readRootCause(edge, request.params.correlationId))
    },
  })

  app.get('/v1/tasks/:correlationId/artifacts/:key/content', {
    schema: { summary: 'The content of an artifact.', params: artifactParams, querystring: artifactQuery, response: { 200: z.unknown(), ...failures } },
    handler: async (request, reply) => {
      await waitFor(edge.applied, request.query)
      const reading = await readArtifact(edge, request.params.correlationId, request.params.key, request.query)
      if (reading.outcome === 'merged') return moved(request, reply, reading.into)
      const { bytes, mediaType, digest } = reading.content
      const base64 = Buffer.from(digest, 'hex').toString('base64')
      void reply
        .header('digest', `sha-256=${base64}`)
        .header('content-digest', `sha-256=:${base64}:`)
        .header('etag', `"${digest}"`)
        .header('x-content-type-options', 'nosniff') // an agent wrote it: never run by a browser
        .header('content-security-policy', "default-src 'none'; sandbox")
        .header('content-disposition', 'attachment')
      return sendAsIs(reply, /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(mediaType) ? mediaType : 'application/octet-stream', Buffer.from(bytes))
    },
  })
}

function answer<Content>(
  request: FastifyRequest,
  reply: FastifyReply,
  reading: Reading<Content>,
  show: (content: Content, appliedPosition: number) => unknown = (content) => content,
): FastifyReply {
  if (reading.outcome === 'merged') return moved(request, reply, reading.into)
  return sendAsIs(reply, jsonType, JSON.stringify(show(reading.content, reading.appliedPosition)))
}

/** The same resource of the task that this one was merged into; the query stays. */
function moved(request: FastifyRequest, reply: FastifyReply, into: string): FastifyReply {
  const [path = '', query] = request.url.split('?', 2)
  const segments = path.split('/')
  segments[3] = encodeURIComponent(into)
  const location = `${segments.join('/')}${query === undefined ? '' : `?${query}`}`
  return reply.code(308).header('location', location).send()
}
