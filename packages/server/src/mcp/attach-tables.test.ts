import { expect, it } from 'vitest'
import type { Caller } from './caller.ts'
import { useMcpServer } from './test-mcp-server.ts'

const server = useMcpServer()
const signal = new AbortController().signal

const runOf = async (agentId: string, tools?: readonly string[]): Promise<Caller> => ({
  kind: 'run',
  runId: 'in-process',
  agentId,
  teamId: 'writers',
  roomId: null,
  taskId: null,
  tools: tools ?? (await server().servers.toolNames()),
})

it('[MC1] in process, the tables return the same list and the same results without a protocol', async () => {
  const attached = await server().servers.attach(await runOf('ada'))
  expect(attached.tools.map(({ name }) => name)).toEqual(await server().servers.toolNames())
  expect(attached.tools[0]).toMatchObject({ server: 'memory', isReadOnly: false, inputSchema: { type: 'object' } })
  const saved = await attached.call({ name: 'memory_save', args: { text: 'in process' }, signal })
  expect(saved).toMatchObject({ structuredContent: { memory: { author: 'agent:ada', runId: 'in-process' } } })
  const found = await attached.call({ name: 'memory_search', args: { query: 'process' }, signal })
  expect(found).toMatchObject({ structuredContent: { memories: [{ text: 'in process', trust: 'outside' }] } })
  const refused = await attached.call({ name: 'memory_save', args: { text: 'x', author: 'bob' }, signal })
  expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('author') }] })
})

it('[MC3] in process, a tool outside the grant does not exist, and calling it is recorded', async () => {
  const attached = await server().servers.attach(await runOf('bob', ['memory_browse']))
  expect(attached.tools.map(({ name }) => name)).toEqual(['memory_browse'])
  expect(await attached.call({ name: 'memory_save', args: { text: 'x' }, signal })).toBe(null)
  const [newest] = await server().records.store.audit.list({ limit: 1 })
  expect(newest).toMatchObject({ actor: 'agent:bob', action: 'grant.refuse', detail: { because: 'tool_not_granted' } })
})

it('[MC8] in process, a call that was cancelled before it began does nothing', async () => {
  const attached = await server().servers.attach({ kind: 'operator' })
  const stopped = await attached.call({ name: 'memory_save', args: { text: 'never' }, signal: AbortSignal.abort() })
  expect(stopped).toMatchObject({ isError: true, content: [{ text: 'the call was cancelled' }] })
  const found = await attached.call({ name: 'memory_search', args: { query: 'never' }, signal })
  expect(found).toMatchObject({ structuredContent: { memories: [] } })
})
