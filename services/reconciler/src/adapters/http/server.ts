/** The reconciler's HTTP server: one Fastify instance with every route, not yet listening. */
import { addOperations, type App, createApp, createMetrics, describeApi } from '@a2a-ledger/service-kit/http'
import { LedgerError } from '@a2a-ledger/domain'
import type { Logger } from 'pino'
import type { Edge } from './edge.ts'
import { addDecisionRoutes } from './decision-routes.ts'
import { addLinkRoutes } from './link-routes.ts'
import { addMeshRoutes } from './mesh-routes.ts'
import { addOperationRoutes } from './operation-routes.ts'
import { addProbeRoutes } from './probe-routes.ts'
import { addQuestionRoutes } from './question-routes.ts'
import { bodyBytesMax } from './schemas.ts'
import { addTaskRoutes } from './task-routes.ts'
import { addWorkerRoutes } from './worker-routes.ts'

export async function createHttpServer(edge: Edge, logger: Logger): Promise<App> {
  const app = createApp({ logger, bodyBytesMax })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<string>(/^application\/(?:[\w.-]+\+)?json/, { parseAs: 'string' }, (_request, body, done) => {
    try {
      done(null, JSON.parse(body))
    } catch (cause) {
      done(new LedgerError('body_malformed', 'The body is not well-formed JSON.', { cause }))
    }
  })
  const metrics = createMetrics(app)
  await describeApi(
    app,
    'a2a-ledger: the reconciler',
    'What became of each logical task, why, and what to do now.',
  )
  addTaskRoutes(app, edge)
  addQuestionRoutes(app, edge)
  addDecisionRoutes(app, edge)
  addWorkerRoutes(app, edge)
  addProbeRoutes(app, edge)
  addMeshRoutes(app, edge)
  addLinkRoutes(app, edge)
  addOperationRoutes(app, edge, metrics)
  addOperations(app, metrics)
  return app
}
