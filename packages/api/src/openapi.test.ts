import { expect, test } from 'vitest'
import { LIVE_EVENTS } from './live-event-table.ts'
import { buildOpenApi } from './openapi.ts'
import { OPERATIONS } from './operations.ts'
import { ROUTES } from './routes.ts'

interface Document {
  readonly paths: Record<
    string,
    Record<
      string,
      {
        operationId: string
        parameters?: { name: string; in: string }[]
        requestBody?: unknown
        responses: Record<string, unknown>
      }
    >
  >
  readonly components: { readonly schemas: Record<string, unknown> }
}
const document = buildOpenApi({ version: '1.2.3' }) as unknown as Document

test('[AP1] the document contains every operation with its parameters, body and response', () => {
  for (const [id, route] of Object.entries(ROUTES)) {
    const described = document.paths[route.path]?.[route.method.toLowerCase()]
    expect(described?.operationId).toBe(id)
    const operation = OPERATIONS[id as keyof typeof OPERATIONS]
    const named = (described?.parameters ?? []).map((parameter) => parameter.name).sort()
    const wanted = [
      ...('params' in operation ? Object.keys(operation.params.shape) : []),
      ...('query' in operation ? Object.keys(operation.query.shape) : []),
    ].sort()
    expect(named).toEqual(wanted)
    expect(described?.requestBody !== undefined).toBe('body' in operation)
    expect(Object.keys(described!.responses)).toContain('default')
    const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
    expect(('params' in operation ? Object.keys(operation.params.shape) : []).sort()).toEqual(inPath.sort())
  }
})

test('[AP1] marks the operations with a required query, and no others', () => {
  const marked = Object.entries(ROUTES).flatMap(([id, route]) => ('query' in route ? [id] : []))
  const demanding = Object.entries(OPERATIONS).flatMap(([id, operation]) =>
    'query' in operation && !operation.query.safeParse({}).success ? [id] : [],
  )
  expect(demanding).toContain('readRoom')
  expect(marked.sort()).toEqual(demanding.sort())
})

test('[LV13] the document contains the schema of every event of the feed', () => {
  const { anyOf } = document.components.schemas.LiveEvent as { anyOf: { properties: { type: { const: string } } }[] }
  expect(anyOf.map(({ properties }) => properties.type.const)).toEqual(Object.keys(LIVE_EVENTS))
  expect(anyOf.find(({ properties }) => properties.type.const === 'run-ended')).toMatchObject({
    properties: { run: { $ref: '#/components/schemas/Run' } },
  })
})

test('[AP2] every reference inside the document resolves', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1]!)
  expect(references.length).toBeGreaterThan(20)
  for (const reference of references) {
    const name = /^#\/components\/schemas\/(\w+)$/.exec(reference)?.[1]
    expect({ reference, found: name !== undefined && name in document.components.schemas }).toEqual({
      reference,
      found: true,
    })
  }
})
