import { afterAll, beforeAll, expect, it } from 'vitest'
import { type OutsideServer, startOutsideServer } from '../tools/test-outside-server.ts'
import { OWN_TOOL_NAMES } from './own-tool-names.ts'
import { createFixtureTable } from './test-fixture-table.ts'
import { connectClient, ERAS, useMcpServer } from './test-mcp-server.ts'

const server = useMcpServer()
let outside: OutsideServer
beforeAll(async () => {
  outside = await startOutsideServer(createFixtureTable)
  const { registry } = server().tables
  const { tools } = await registry.register({ name: 'out', endpoint: outside.endpoint }, { kind: 'operator' })
  const { id, hash } = tools.find(({ descriptor }) => descriptor.name === 'fixture_who')!
  // The fixture has a tool of the same name.
  await registry.approve(id, { hash, findings: ['shadowing'] }, { kind: 'operator' })
})
afterAll(() => outside.close())

type Call = (name: string, args: Record<string, unknown>) => Promise<Record<string, unknown>>

/** Calls every tool once with valid arguments. Resolves to their names. */
async function callEveryTool(call: Call): Promise<string[]> {
  const called: string[] = []
  const done = (name: string, args: Record<string, unknown>) => {
    called.push(name)
    return call(name, args)
  }
  const { memory } = (await done('memory_save', { text: 'Tea at four' })) as { memory: { id: string } }
  expect(await done('memory_search', { query: 'tea' })).toMatchObject({ memories: [{ id: memory.id }] })
  expect(await done('memory_browse', {})).toMatchObject({ memories: [{ id: memory.id }] })
  expect(await done('memory_forget', { id: memory.id })).toEqual({ forgotten: memory.id })
  const { task } = (await done('create_task', { title: 'Boil water' })) as { task: { id: string } }
  const { id } = task
  expect(await done('create_subtask', { title: 'Find a pot', parent: id })).toMatchObject({ task: { parentId: id } })
  expect(await done('update_task', { id, priority: 'high' })).toMatchObject({ task: { priority: 'high' } })
  expect(await done('comment_task', { id, body: 'Hot' })).toMatchObject({ comment: { text: 'Hot' } })
  expect(await done('claim_task', { id })).toMatchObject({ outcome: 'yours' })
  expect(JSON.stringify(await done('list_tasks', { mine: true }))).toContain(id)
  expect(await done('get_task', { id })).toMatchObject({ task: { id, assignee: 'agent:ada' } })
  expect(await done('report_blocked', { reason: 'No fire' })).toMatchObject({ outcome: 'blocked' })
  expect(await done('report_done', { summary: 'Boiled' })).toMatchObject({ outcome: 'completed' })
  expect(await done('search_tools', { query: 'who' })).toMatchObject({ tools: [{ tool: 'out/fixture_who' }] })
  expect(await done('describe_tool', { tool: 'out/fixture_who' })).toMatchObject({ source: 'outside' })
  expect(await done('call_tool', { tool: 'out/fixture_who', arguments: { word: 'x' } })).toMatchObject({
    source: 'outside',
    notice: expect.stringContaining('data'),
    text: '{"caller":"operator","word":"x"}',
  })
  expect(await done('team_chat_post', { body: 'Tea is ready', to: ['bob'] })).toMatchObject({ post: { to: ['bob'] } })
  expect(await done('team_chat_subscribe', {})).toMatchObject({ posts: [] })
  return called.sort()
}

it('[MC1] the list of our own tool names has the name of every tool', async () => {
  expect([...OWN_TOOL_NAMES].sort()).toEqual(await productTools())
})

const productTools = async () =>
  (await server().servers.toolNames()).filter((name) => !/^(?:test|fixture)_/.test(name)).sort()

it.each(ERAS)('[MC1] a client of %s lists and calls every tool of every server over HTTP', async (_, negotiation) => {
  const { records, servers, tables, startRun, url } = server()
  const own = await tables.tasks.create({ teamId: 'writers', title: 'Own' }, { kind: 'operator' })
  const { secret, runId } = await startRun('ada', 'writers', { taskId: own.id })
  tables.verdicts.begin(runId)
  const clients = new Map<string, Awaited<ReturnType<typeof connectClient>>>()
  for (const name of servers.names.filter((one) => one !== 'fixture')) {
    const client = await connectClient(`${url}/api/mcp/${name}`, secret, negotiation)
    for (const tool of (await client.listTools()).tools) {
      expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
      expect(tool.description!.length).toBeGreaterThan(20)
      clients.set(tool.name, client)
    }
  }
  expect([...clients.keys()].sort()).toEqual(await productTools())
  const called = await callEveryTool(async (name, args) => {
    const answer = await clients.get(name)!.callTool({ name, arguments: args })
    if (answer.isError) throw new Error(`${name}: ${JSON.stringify(answer.content)}`)
    return answer.structuredContent as Record<string, unknown>
  })
  expect(called).toEqual(await productTools())
  for (const client of new Set(clients.values())) await client.close()
  expect(records.lines.join('\n')).not.toContain('a tool failed')
})

it('[MC1] in process, every tool of every server can be called', async () => {
  const { servers, tables } = server()
  const own = await tables.tasks.create({ teamId: 'writers', title: 'Own' }, { kind: 'operator' })
  const run = { runId: 'every-tool', agentId: 'ada', teamId: 'writers', roomId: 'team:writers', taskId: own.id }
  tables.verdicts.begin(run.runId)
  const attached = await servers.attach({ kind: 'run', ...run, tools: await servers.toolNames() })
  const called = await callEveryTool(async (name, args) => {
    const answer = await attached.call({ name, args, signal: new AbortController().signal })
    if (!answer?.structuredContent) throw new Error(`${name}: ${JSON.stringify(answer)}`)
    return answer.structuredContent
  })
  expect(called).toEqual(await productTools())
})
