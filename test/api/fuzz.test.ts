import { OPERATIONS, type Operation, type OperationId, ROUTES } from '@clawboo/api'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeServer } from '../engines.ts'
import { isSoak } from '../seed.ts'

/** Hostile or broken values for an id, a name or a text. */
const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    '\0',
    '%00',
    '../..',
    "'; DROP TABLE agents; --",
    '\ud800',
    '\u202e',
    '{{7*7}}',
    '__proto__',
    'constructor',
    '🧟'.repeat(50),
    'x'.repeat(300),
    'null',
    '-1',
    '1e309',
  ),
)
const nastyJson = fc.oneof(fc.jsonValue({ maxDepth: 4 }), nasty)

/** Excludes operations that would end the test's own access, and streams, which do not end. */
const operations = (Object.keys(ROUTES) as OperationId[]).filter(
  (id) => !['rotateToken', 'followEvents', 'followAgent', 'signIn'].includes(id),
)

describeServer('Any input', (server) => {
  test('[SE24] no request causes an internal error', async () => {
    const request = fc.constantFrom(...operations).chain((id) =>
      fc.record({
        id: fc.constant(id),
        params: fc.array(nasty, { minLength: 3, maxLength: 3 }),
        query: fc.dictionary(fc.constantFrom(...fields(id, 'query'), 'x'), nasty, { maxKeys: 2 }),
        body:
          fields(id, 'body').length === 0
            ? fc.constant(undefined)
            : fc.record(Object.fromEntries(fields(id, 'body').map((name) => [name, nastyJson])), { requiredKeys: [] }),
      }),
    )
    await fc.assert(
      fc.asyncProperty(request, async ({ id, params, query, body }) => {
        const { status, text } = await send(server(), id, { params, query, body })
        expect({ isMistake: status >= 500, text }).toEqual({ isMistake: false, text })
      }),
      { numRuns: isSoak ? 3000 : 300 },
    )
    expect((await server().client.checkHealth({})).ok).toBe(true)
  })

  test('[SE24] refuses every operation without its required input', async () => {
    for (const id of operations) {
      const { query, body } = OPERATIONS[id] as Operation
      const needs = [query, body].some((part) => part && !part.safeParse({}).success)
      const { status, text } = await send(server(), id, {
        params: ['none', 'none', 'none'],
        query: {},
        body: body && {},
      })
      expect({ id, text, fits: needs ? status >= 400 && status < 500 : status < 500 }).toEqual({ id, text, fits: true })
    }
  })

  test('[SE24] a NUL in any query parameter is refused or finds nothing', async () => {
    const taken: Readonly<Record<string, string>> = { fileName: 'SOUL.md', status: 'todo' }
    for (const id of operations)
      for (const name of fields(id, 'query')) {
        const params = [...ROUTES[id].path.matchAll(/\{(\w+)\}/g)].map(([, each]) => taken[each!] ?? 'none')
        const { status, text } = await send(server(), id, { params, query: { [name]: 'a\0' }, body: undefined })
        expect.soft({ id, name, isMistake: status >= 500, text }).toEqual({ id, name, isMistake: false, text })
      }
  })

  test('[SE24] refuses text that one database would alter, and stores text that only looks like it', async () => {
    const { id } = await server().client.createAgent({ body: { name: 'Text' } })
    const params = { agentId: id, fileName: 'SOUL.md' as const }
    for (const content of ['nul \0', 'half \ud800']) {
      await expect(
        server().client.writeAgentFile({ params, body: { content, baseRevision: 0 } }),
      ).rejects.toMatchObject({ code: 'body_invalid' })
    }
    const content = 'a text about \\u0000 and \\ud800, with 🧟 and \u202e'
    await server().client.writeAgentFile({ params, body: { content, baseRevision: 0 } })
    expect((await server().client.readAgentFile({ params })).content).toBe(content)
  })
})

function fields(id: OperationId, part: 'query' | 'body'): string[] {
  return Object.keys(((OPERATIONS[id] as Operation)[part] as { shape?: object } | undefined)?.shape ?? {})
}

async function send(
  { url, token }: { readonly url: string; readonly token: string },
  id: OperationId,
  { params, query, body }: { params: readonly string[]; query: Record<string, string>; body: unknown },
): Promise<{ status: number; text: string }> {
  const values = [...params]
  const path = ROUTES[id].path.replace(/\{\w+\}/g, () => encodeURIComponent((values.shift() ?? '').toWellFormed()))
  const search = new URLSearchParams(query).toString()
  const answer = await fetch(`${url}${path}${search && `?${search}`}`, {
    method: ROUTES[id].method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  return { status: answer.status, text: await answer.text() }
}
