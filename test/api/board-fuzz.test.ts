import { OPERATIONS, type Operation, type OperationId, ROUTES } from '@clawboo/api'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSoak } from '../seed.ts'
import { describeBoardServer, makeTeam } from './board-server.ts'

const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    '\0',
    '\ud800',
    '\u202e',
    '__proto__',
    'x'.repeat(300),
    '1e309',
    '-1',
    'none',
    'agent:',
    '%',
    '\\',
  ),
)
const value = fc.oneof(
  nasty,
  fc.constantFrom('todo', 'done', 'blocked', 'backlog', 'cancelled', 'high', true, false, null, 3, '/', '/tmp'),
  fc.record({ kind: fc.constantFrom('agent', 'person', 'host'), id: nasty }),
  fc.array(nasty, { maxLength: 3 }),
  fc.jsonValue({ maxDepth: 2 }),
)

const operations = (Object.keys(ROUTES) as OperationId[]).filter(
  (id) => (OPERATIONS[id] as Operation).tag === 'Board' || id.endsWith('TeamProject'),
)

describeBoardServer('Any input to a board', (server) => {
  test('[SE24] no request about a real task causes an internal error', async () => {
    const { client, url, token } = server()
    const { teamId, agentId } = await makeTeam(server())
    const make = (title: string) => client.createTask({ params: { teamId }, body: { title } })
    const ids = [(await make('One')).id, (await make('Two')).id]
    const known = fc.constantFrom<unknown>(...ids, agentId, { kind: 'agent', id: agentId }, [ids[0]])
    const keys = (schema: unknown) => Object.keys((schema as { shape?: object } | undefined)?.shape ?? {})
    const some = (names: readonly string[], values: fc.Arbitrary<unknown>) =>
      fc.record(Object.fromEntries(names.map((name) => [name, values])), { requiredKeys: [] })
    const request = fc.constantFrom(...operations).chain((id) => {
      const { body, query } = OPERATIONS[id] as Operation
      return fc.record({
        id: fc.constant(id),
        task: fc.constantFrom(...ids),
        other: fc.oneof(fc.constantFrom('todo', ...ids), nasty),
        query: some(keys(query), nasty),
        body: body ? some(keys(body), fc.oneof(value, known)) : fc.constant(undefined),
      })
    })
    await fc.assert(
      fc.asyncProperty(request, async ({ id, task, other, query, body }) => {
        const { method, path } = ROUTES[id]
        const place = path
          .replace('{teamId}', teamId)
          .replace('{taskId}', task)
          .replace(/\{\w+\}/, encodeURIComponent(other.toWellFormed()))
        const headers = { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) }
        const search = new URLSearchParams(query as Record<string, string>)
        const answer = await fetch(`${url}${place}?${search}`, {
          method,
          headers,
          ...(body ? { body: JSON.stringify(body) } : {}),
        })
        const text = await answer.text()
        expect({ status: answer.status < 500, text }).toEqual({ status: true, text })
      }),
      { numRuns: isSoak ? 3000 : 300 },
    )
    for (const taskId of ids) expect((await client.getTask({ params: { taskId } })).task.id).toBe(taskId)
  })
})
