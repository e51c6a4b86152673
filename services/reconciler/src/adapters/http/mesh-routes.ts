/** Meshes: what their operators decided for all their workers together. */
import { type App, jsonType, problemSchema, sendAsIs } from '@a2a-ledger/service-kit/http'
import { decideMesh, readMesh } from '../../app/decide-mesh.ts'
import type { Edge } from './edge.ts'
import { meshBody, meshParams, meshQuery, meshSchema } from './schemas.ts'
import { waitFor } from './wait.ts'

const response = { 200: meshSchema, '4xx': problemSchema, '5xx': problemSchema }

export function addMeshRoutes(app: App, edge: Edge): void {
  app.get('/v1/meshes/:mesh', {
    schema: { summary: 'The policy of a mesh.', params: meshParams, querystring: meshQuery, response },
    handler: async (request, reply) => {
      await waitFor(edge.applied, request.query)
      return sendAsIs(reply, jsonType, JSON.stringify(await readMesh(edge.store, request.params.mesh)))
    },
  })

  app.put('/v1/meshes/:mesh', {
    schema: { summary: 'Decides for a mesh; members left out keep their value.', params: meshParams, body: meshBody, response },
    handler: async (request, reply) => {
      const { mesh } = request.params
      await decideMesh(edge, mesh, request.body)
      return sendAsIs(reply, jsonType, JSON.stringify(await readMesh(edge.store, mesh)))
    },
  })
}
