/** `GET /openapi.json`, made from the zod schemas that validate (and, for bodies, describe). */
import swagger from '@fastify/swagger'
import { jsonSchemaTransform } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { type App, jsonType, sendAsIs } from './app.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Schema of the body by content type; the body itself reaches the route as bytes. */
    readonly bodies?: Readonly<Record<string, z.ZodType>>
  }
}

/** Call it before the routes are added. */
export async function describeApi(app: App, title: string, description: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title, description, version: '1' },
    },
    transform: (document) => {
      const { schema, url } = jsonSchemaTransform(document)
      const { bodies } = document.route.config ?? {}
      if (bodies === undefined) return { schema, url }
      const content = Object.fromEntries(
        Object.entries(bodies).map(([type, body]) => [type, { schema: jsonSchemaOf(body) }]),
      )
      return { schema: { ...schema, body: { content } }, url }
    },
  })
  app.get('/openapi.json', {
    schema: { summary: 'This description.', response: { 200: z.looseObject({ openapi: z.string() }) } },
    handler: async (_request, reply) => sendAsIs(reply, jsonType, JSON.stringify(app.swagger())),
  })
}

function jsonSchemaOf(body: z.ZodType): unknown {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' })
  return schema
}
