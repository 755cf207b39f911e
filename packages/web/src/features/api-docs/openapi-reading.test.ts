import { ROUTES } from '@clawboo/api'
import { buildOpenApi } from '@clawboo/api/openapi'
import { expect, test } from 'vitest'
import { readOperations, readSchemas, schemaWords } from './openapi-reading.ts'

const document = buildOpenApi({ version: '0.0.0' })

test('[PG19] the page shows every operation of the API with its parameters, bodies and errors', () => {
  const operations = readOperations(document)
  expect(operations.map(({ id }) => id).sort()).toEqual(Object.keys(ROUTES).sort())
  const write = operations.find(({ id }) => id === 'writeAgentFile')!
  expect(write).toMatchObject({
    method: 'PUT',
    tag: 'Agent files',
    body: 'WriteFile',
    success: { type: 'FileContent' },
  })
  expect(write.parameters.map(({ name, place }) => `${place} ${name}`)).toEqual(['path agentId', 'path fileName'])
  expect(write.errors).toContain('file_revision_stale')
  expect(operations.find(({ id }) => id === 'signIn')!.open).toBe(true)
})

test('[PG19] schemas read as types, and the page shows every type they name', () => {
  const schemas = readSchemas(document)
  const known = new Set(schemas.map(({ name }) => name))
  expect(known).toContain('Agent')
  expect(schemas.find(({ name }) => name === 'WriteFile')!.type).toMatch(
    /^\{\n {2}content: string\n {2}baseRevision: number/,
  )
  const used = schemas.flatMap(({ type }) => type.replace(/\/\/.*/g, '').match(/(?<=: )[A-Z]\w+/g) ?? [])
  expect(used.filter((name) => !known.has(name))).toEqual([])
  expect(schemaWords({ type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } })).toBe(
    '(string | null)[]',
  )
})
