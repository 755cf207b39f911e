import { fork } from 'node:child_process'
import { join } from 'node:path'
import { ROUTES, type Route } from '@clawboo/api/routes'
import { expect, it } from 'vitest'
import type { HostileResult, HostileTry } from './test-hostile-child.ts'
import { useMcpServer } from './test-mcp-server.ts'

const server = useMcpServer()
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })
const call = (name: string, args: unknown = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
})
const toMcp = (name: string, query: string, headers: Record<string, string>, body: unknown): HostileTry => ({
  name,
  method: 'POST',
  path: `/api/mcp/memory${query}`,
  headers,
  body,
})

function fromChild(tries: readonly HostileTry[]): Promise<HostileResult[]> {
  const child = fork(join(import.meta.dirname, 'test-hostile-child.ts'), { env: {}, execArgv: [] })
  return new Promise((resolve, reject) => {
    child.once('message', (results) => resolve(results as HostileResult[]))
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the child ended with ${code}`)))
    child.send({ url: server().url, tries })
  })
}

const refusals = async () =>
  (await server().records.store.audit.list({ limit: 500 })).filter(({ action }) => action === 'grant.refuse').reverse()

it('[SE34] a hostile child process reaches no other agent, team or run, and each attempt is recorded', async () => {
  const { startRun } = server()
  const own = await startRun('ada', 'writers')
  const ended = await startRun('ada', 'writers')
  await ended.end()
  const sibling = await startRun('bob', 'writers')
  await sibling.end()
  const browse = call('memory_browse')
  const flipped = own.secret.slice(0, -1) + (own.secret.endsWith('A') ? 'B' : 'A')
  const tries: [HostileTry, number, string][] = [
    [toMcp('another agent in the address', '?postAuthorAgentId=bob', bearer(own.secret), browse), 403, 'other_agent'],
    [toMcp('another team in the address', '?roomTeamId=others', bearer(own.secret), browse), 403, 'other_team'],
    [toMcp('an empty team', '?roomTeamId=', bearer(own.secret), browse), 403, 'other_team'],
    [toMcp('both', '?roomTeamId=others&postAuthorAgentId=eve', bearer(own.secret), browse), 403, 'other_team'],
    [toMcp('the address alone', '?roomTeamId=writers&postAuthorAgentId=ada', {}, browse), 401, 'no_grant'],
    [toMcp('nothing at all', '', {}, browse), 401, 'no_grant'],
    [toMcp('a replay after the end', '', bearer(ended.secret), browse), 401, 'run_ended'],
    [toMcp('a replay in the address', `?grant=${ended.secret}`, {}, browse), 401, 'run_ended'],
    [toMcp('a sibling’s, ended', '?postAuthorAgentId=ada', bearer(sibling.secret), browse), 401, 'run_ended'],
    [toMcp('one character changed', '', bearer(flipped), browse), 401, 'unknown'],
    [toMcp('the id of a grant', '', bearer('clawboo_grant_x'), browse), 401, 'unknown'],
    [toMcp('an invented bearer token', '', bearer('x'.repeat(43)), browse), 401, 'no_grant'],
    [toMcp('the operator token as a grant', `?grant=${'x'.repeat(43)}`, {}, browse), 401, 'unknown'],
  ]
  const results = await fromChild(tries.map(([one]) => one))
  expect(results.map(({ name, status }) => [name, status])).toEqual(tries.map(([{ name }, status]) => [name, status]))
  const written = await refusals()
  expect(written.map(({ detail }) => (detail as { because: string }).because)).toEqual(tries.map(([, , why]) => why))
  const spoken = JSON.stringify([results, written, server().records.lines])
  for (const { secret } of [own, ended, sibling]) expect(spoken).not.toContain(secret.slice(14))
})

it('[SE34] an argument cannot name an author, and no agent can read another’s memory by its id', async () => {
  const [ada, bob, eve] = [
    await server().startRun('ada', 'writers'),
    await server().startRun('bob', 'writers'),
    await server().startRun('eve', 'others'),
  ]
  const [saved] = await fromChild([
    toMcp('save', '', bearer(ada.secret), call('memory_save', { text: 'ada’s secret' })),
  ])
  const { id } = JSON.parse(saved!.body).result.structuredContent.memory as { id: string }
  const before = (await refusals()).length
  const tries = [bob, eve].flatMap(({ secret }) => [
    toMcp('search', '', bearer(secret), call('memory_search', { query: 'secret' })),
    toMcp('browse from it', '', bearer(secret), call('memory_browse', { before: id })),
    toMcp('forget', '', bearer(secret), call('memory_forget', { id })),
    toMcp('as another', '', bearer(secret), call('memory_save', { text: 'forged', authorAgentId: 'ada' })),
    toMcp('as the operator', '', bearer(secret), call('memory_save', { text: 'forged', scope: 'everyone' })),
    toMcp('in another team', '', bearer(secret), call('memory_browse', { teamId: 'writers', agentId: 'ada' })),
  ])
  for (const { name, body } of await fromChild(tries)) {
    expect(body).not.toContain('ada’s secret')
    if (name !== 'search') expect(JSON.parse(body)).toMatchObject({ result: { isError: true } })
  }
  const written = (await refusals()).slice(before)
  expect(written.map(({ actor, runId, detail }) => ({ actor, runId, detail }))).toEqual(
    [bob, eve].flatMap(({ runId }, at) =>
      ['memory_save', 'memory_browse'].map((tool) => ({
        actor: `agent:${['bob', 'eve'][at]}`,
        runId,
        detail: { because: 'unknown_argument', at: `tool ${tool}` },
      })),
    ),
  )
  const kept = await server().records.store.memories.browse(null, { limit: 50 })
  expect(kept.map(({ author, text }) => [author, text])).toEqual([['agent:ada', 'ada’s secret']])
})

it('[SE34] no tool accepts an argument that names the caller, and each attempt is recorded', async () => {
  const everywhere = [
    'authorAgentId',
    'agentId',
    'teamId',
    'team',
    'roomId',
    'runId',
    'taskId',
    'by',
    'actor',
    'isUser',
  ]
  const { servers, startRun } = server()
  const caller = { kind: 'operator' } as const
  const { tools } = await servers.attach(caller)
  for (const { server: name, name: tool } of tools.filter((one) => one.server !== 'fixture')) {
    const { secret, runId } = await startRun('eve', 'others')
    // The room accepts this argument from every caller and ignores it.
    const identities = everywhere.filter((one) => one !== 'authorAgentId' || name !== 'teamchat')
    const tries = identities.map((identity) => ({
      ...toMcp(identity, '', bearer(secret), call(tool, { [identity]: 'ada' })),
      path: `/api/mcp/${name}`,
    }))
    for (const { name: identity, body } of await fromChild(tries)) {
      expect({ tool, identity, body: JSON.parse(body) }).toMatchObject({ body: { result: { isError: true } } })
      expect(body).toContain(`\\"${identity}\\"`)
    }
    const written = (await server().records.store.audit.list({ limit: 50 })).filter((entry) => entry.runId === runId)
    expect(written.filter(({ action }) => action === 'grant.refuse').map(({ detail }) => detail)).toEqual(
      identities.map(() => ({ because: 'unknown_argument', at: `tool ${tool}` })),
    )
  }
})

it('[SE34] every server refuses a grant that has ended, was altered, or belongs to another agent or team', async () => {
  const { servers, startRun } = server()
  const own = await startRun('ada', 'writers')
  const ended = await startRun('bob', 'writers')
  await ended.end()
  for (const name of servers.names) {
    const tries = [
      toMcp('ended', '', bearer(ended.secret), call('get_task', { id: 'x' })),
      toMcp('ended, in the address', `?grant=${ended.secret}`, {}, call('call_tool', { tool: 'a/b' })),
      toMcp('of another agent', '?postAuthorAgentId=bob', bearer(own.secret), call('team_chat_post', { body: 'x' })),
      toMcp('of another team', '?roomTeamId=others', bearer(own.secret), call('list_tasks')),
      toMcp('changed', '', bearer(`${own.secret.slice(0, -2)}zz`), call('list_tasks')),
      toMcp('none', '', {}, call('list_tasks')),
    ].map((one) => ({ ...one, path: one.path.replace('/memory', `/${name}`) }))
    const statuses = (await fromChild(tries)).map(({ status }) => status)
    expect({ name, statuses }).toEqual({ name, statuses: [401, 401, 403, 403, 401, 401] })
  }
})

it('[SE31] every operator route refuses a grant with 403, wherever the grant is, and records it', async () => {
  // A flood of refusals of one grant is not recorded, so use several grants.
  const runs = [await server().startRun('eve', 'others'), await server().startRun('eve', 'others')]
  const { secret } = runs[0]!
  const before = (await refusals()).length
  const closed = (Object.values(ROUTES) as Route[]).filter(({ access }) => access !== 'open')
  const paths = closed.map(({ method, path }) => ({ method, path: path.replace(/\{\w+\}/g, 'x') }))
  const headersOf = (at: number) => bearer(runs[at % runs.length]!.secret)
  const asBearer = paths.map((one, at) => ({ ...one, name: `${one.method} ${one.path}`, headers: headersOf(at) }))
  const some = [
    { name: 'in the address', method: 'GET', path: `/api/agents?grant=${secret}`, headers: {} },
    { name: 'where nothing is', method: 'GET', path: '/api/nothing', headers: bearer(secret) },
    { name: 'below the servers', method: 'POST', path: '/api/mcp/memory/../../agents', headers: bearer(secret) },
    { name: 'encoded', method: 'GET', path: '/api/mcp/..%2fagents', headers: bearer(secret) },
  ]
  const results = await fromChild([...asBearer, ...some])
  expect(results.filter(({ status }) => status !== 403 && status !== 404)).toEqual([])
  expect(results.filter(({ status }) => status === 404).map(({ name }) => name)).toEqual(['encoded'])
  const written = (await refusals()).slice(before)
  expect(written.length).toBeGreaterThanOrEqual(asBearer.length + 3)
  expect(new Set(written.map(({ actor, runId: run }) => `${actor} ${run}`))).toEqual(
    new Set(runs.map(({ runId }) => `agent:eve ${runId}`)),
  )
  for (const run of runs) expect(JSON.stringify([results, written])).not.toContain(run.secret.slice(14))
})

it('[SE30] rotating the token ends every grant before it returns', async () => {
  const run = await server().startRun('ada', 'writers')
  const [before] = await fromChild([toMcp('before', '', bearer(run.secret), call('memory_browse'))])
  await server().rotate()
  const [after] = await fromChild([toMcp('after', '', bearer(run.secret), call('memory_browse'))])
  expect([before!.status, after!.status]).toEqual([200, 401])
  const fresh = await server().startRun('ada', 'writers')
  expect((await fromChild([toMcp('fresh', '', bearer(fresh.secret), call('memory_browse'))]))[0]!.status).toBe(200)
})
