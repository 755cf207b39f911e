import { z } from 'zod'
import { OPERATIONS, type Operation } from './operations.ts'
import { type OperationId, ROUTES, type Route } from './routes.ts'
import { errorBodySchema } from './schemas/error.ts'

type Json = Record<string, unknown>

/** Builds the OpenAPI 3.1 document from the schemas that validate every request. */
export function buildOpenApi(info: { readonly version: string }): Json {
  const registry = z.registry<{ id?: string }>()
  collectNamed(registry)
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => `#/components/schemas/${id}`,
    io: 'output',
    unrepresentable: 'any',
  })
  const paths: Record<string, Json> = {}
  for (const id of Object.keys(ROUTES) as OperationId[]) {
    const route: Route = ROUTES[id]
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: describeOperation(id, route, OPERATIONS[id]),
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Clawboo', version: info.version, description: 'The local control plane for teams of AI agents.' },
    security: [{ operatorToken: [] }, { signInCookie: [] }],
    paths,
    components: {
      schemas: Object.fromEntries(
        Object.entries(schemas).map(([name, schema]) => [name, withoutEnvelope(schema as Json)]),
      ),
      securitySchemes: {
        operatorToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'The content of the file `token` in the home folder.',
        },
        signInCookie: {
          type: 'apiKey',
          in: 'cookie',
          name: 'clawboo_<port>',
          description: 'Set by `POST /api/sign-in`.',
        },
      },
    },
  }
}

function describeOperation(id: OperationId, route: Route, operation: Operation): Json {
  const parameters = [...parametersOf(operation.params, 'path'), ...parametersOf(operation.query, 'query')]
  const status = operation.status ?? 200
  return {
    operationId: id,
    summary: operation.summary,
    tags: [operation.tag],
    ...(route.access === 'open' ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(operation.body
      ? {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: schemaOf(operation.body, 'input') } },
          },
        }
      : {}),
    responses: {
      [status]: successOf(operation),
      default: {
        description: ['Refused. Additional codes:', ...(operation.errors ?? ['none'])].join(' '),
        content: { 'application/json': { schema: schemaOf(errorBodySchema, 'output') } },
      },
    },
  }
}

function successOf(operation: Operation): Json {
  if (operation.response === null) return { description: 'Done' }
  const mediaType = operation.stream ? 'text/event-stream' : 'application/json'
  return { description: 'Done', content: { [mediaType]: { schema: schemaOf(operation.response, 'output') } } }
}

function parametersOf(schema: z.ZodObject | undefined, place: 'path' | 'query'): Json[] {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => ({
    name,
    in: place,
    required: place === 'path',
    schema: schemaOf(field as z.ZodType, 'input'),
  }))
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const id = schema.meta()?.id
  if (id) return { $ref: `#/components/schemas/${id}` }
  return inlineNamed(withoutEnvelope(z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json))
}

/** Replaces a schema's own copies of named schemas with references to the document's. */
function inlineNamed(schema: Json): Json {
  const { $defs: _, ...rest } = schema
  return JSON.parse(JSON.stringify(rest).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json
}

function withoutEnvelope(schema: Json): Json {
  const { $schema: _schema, $id: _id, id: _name, ...rest } = schema
  return rest
}

function collectNamed(registry: z.core.$ZodRegistry<{ id?: string }>): void {
  const add = (schema: z.ZodType | null | undefined) => {
    const id = schema?.meta()?.id
    if (schema && id && !registry.has(schema)) registry.add(schema, { id })
  }
  const visit = (schema: unknown): void => {
    if (!(schema instanceof z.ZodType)) return
    add(schema)
    if (schema instanceof z.ZodObject) for (const field of Object.values(schema.shape)) visit(field)
    if (schema instanceof z.ZodArray) visit(schema.element)
    if (schema instanceof z.ZodUnion) schema.options.forEach(visit)
    if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) visit(schema.unwrap())
  }
  for (const operation of Object.values(OPERATIONS) as Operation[]) {
    visit(operation.body)
    visit(operation.response)
  }
  visit(errorBodySchema)
}
