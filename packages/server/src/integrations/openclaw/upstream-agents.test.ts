import { expect, onTestFinished, test } from 'vitest'
import { NO_FILES } from '../../executor/run/test-run-inputs.ts'
import { newRun } from '../../store/contract/runs-contract.ts'
import { openGateway } from './gateway/test-connection.ts'
import { upstreamSessionKey } from './runtime/upstream-keys.ts'
import type { TestGatewayOptions } from './stand-in/test-gateway.ts'
import { connectTestIntegration } from './stand-in/test-integration.ts'

async function open(options: TestGatewayOptions = {}) {
  const gateway = await openGateway(options)
  const opened = await connectTestIntegration(gateway)
  onTestFinished(() => opened.dispose())
  await opened.agentSource.sync()
  return { ...opened, gateway, source: opened.agentSource }
}

test('[OC34] two hundred agents are stored in one sync, in the Gateway’s order, and a second sync changes nothing', async () => {
  const agents = Array.from({ length: 200 }, (_, n) => ({ id: `boo-${n}`, name: `Boo ${n}`, emoji: '👻' }))
  const { source, gateway } = await open({ agents })
  const listed = await source.listAgents()
  expect(listed.map(({ sourceAgentId }) => sourceAgentId).sort()).toEqual(
    ['main', ...agents.map(({ id }) => id)].sort(),
  )
  expect(new Set(listed.map(({ id }) => id)).size).toBe(201)
  expect(await source.sync()).toMatchObject({ added: 0, updated: 0, archived: 0, unchanged: 201 })
  for (const { id } of agents.slice(0, 100)) gateway.fleet.remove(id)
  expect(await source.sync()).toMatchObject({ archived: 100, unchanged: 101 })
})

test('[OC35] a name with a taken id, or without usable letters, gets a generated id and is kept', async () => {
  const { source, gateway } = await open()
  const names = ['Ada', 'Ada', 'ada!', '小明', '…']
  const made = []
  for (const name of names) made.push(await source.createAgent({ name }))
  expect(made.map(({ displayName }) => displayName)).toEqual(names)
  expect(new Set(made.map(({ sourceAgentId }) => sourceAgentId)).size).toBe(names.length)
  expect([...gateway.fleet.agents.values()].map(({ name }) => name)).toEqual([null, ...names])
  expect(await source.sync()).toMatchObject({ added: 0, updated: 0, archived: 0 })
})

test('[OC35] agents that are created, renamed and deleted concurrently end as the Gateway lists them', async () => {
  const { source, gateway } = await open({ listLagMs: 50 })
  const made = await Promise.all(['One', 'Two', 'Three'].map((name) => source.createAgent({ name })))
  await Promise.all([
    source.sync(),
    source.updateAgent(made[0]!.id, { name: 'First', emoji: '🥇' }),
    source.deleteAgent(made[1]!.id),
    source.sync(),
  ])
  const [names, theirs] = [
    (await source.listAgents()).map(({ displayName }) => displayName).sort(),
    [...gateway.fleet.agents.values()].map(({ id, name }) => name ?? id).sort(),
  ]
  expect(names).toEqual(['First', 'Three', 'main'])
  expect(theirs).toEqual(names)
  expect(await source.listAgents({ includeArchived: true })).toHaveLength(3)
})

test('[OC36] an emoji can be changed but not removed, and removal is refused before anything changes', async () => {
  const { source, gateway } = await open()
  const { id, sourceAgentId } = await source.createAgent({ name: 'Ada', emoji: '👻' })
  await expect(source.updateAgent(id, { name: 'Ida', emoji: null })).rejects.toMatchObject({ code: 'upstream_refused' })
  expect(gateway.fleet.agents.get(sourceAgentId)).toMatchObject({ name: 'Ada', emoji: '👻' })
  expect(await source.getAgent(id)).toMatchObject({ displayName: 'Ada', emoji: '👻' })
})

test('[OC36] a multi-part emoji and a name in any script are stored unchanged', async () => {
  const { source } = await open()
  const [name, emoji] = ['می‌خواهم', '👩‍💻']
  const { id } = await source.createAgent({ name, emoji })
  expect(await source.sync()).toMatchObject({ updated: 0 })
  expect(await source.getAgent(id)).toMatchObject({ displayName: name, emoji })
})

test('[OC36] an agent that is already gone at the Gateway can still be deleted', async () => {
  const { source, gateway } = await open()
  const { id, sourceAgentId } = await source.createAgent({ name: 'Ada' })
  gateway.fleet.remove(sourceAgentId)
  await source.deleteAgent(id)
  expect(await source.getAgent(id)).toBeNull()
})

test('[OC37] a text that changed at the Gateway is read, stored as a revision, and guards against a stale write', async () => {
  const { source, gateway, host } = await open()
  const { id, sourceAgentId } = await source.createAgent({ name: 'Ada', files: { 'SOUL.md': 'ours' } })
  gateway.fleet.agents.get(sourceAgentId)!.files.set('SOUL.md', 'theirs')
  await expect(source.writeFile(id, 'SOUL.md', 'ours again', { baseRevision: 1 })).rejects.toMatchObject({
    code: 'file_revision_stale',
    details: { current: { revision: 2, content: 'theirs' } },
  })
  expect(await source.readFile(id, 'SOUL.md')).toBe('theirs')
  expect(await host.records.latestFile(id, 'SOUL.md')).toMatchObject({ revision: 2, author: 'workspace' })
})

test('[OC37] an overlong text is not stored, and the last text is readable while the connection is down', async () => {
  const { source, gateway, line } = await open()
  const { id, sourceAgentId } = await source.createAgent({ name: 'Ada', files: { 'SOUL.md': 'ours' } })
  const { files } = gateway.fleet.agents.get(sourceAgentId)!
  files.set('SOUL.md', 'x'.repeat(3_000_000))
  await expect(source.readFile(id, 'SOUL.md')).rejects.toMatchObject({ code: 'file_too_large' })
  files.set('SOUL.md', 'ours')
  line.cut()
  await expect.poll(async () => (await source.health()).state).toBe('reconnecting')
  expect(await source.readFile(id, 'SOUL.md')).toBe('ours')
})

test('[OC37] reading all files of an agent stores every valid text from the Gateway', async () => {
  const { source, gateway, host } = await open()
  const { id, sourceAgentId } = await source.createAgent({ name: 'Ada' })
  const { files } = gateway.fleet.agents.get(sourceAgentId)!
  files.set('SOUL.md', 'theirs').set('AGENTS.md', 'rules').set('USER.md', 'x'.repeat(3_000_000))
  await source.lookAtFiles!(id)
  const texts = await Promise.all(
    (['SOUL.md', 'AGENTS.md', 'USER.md', 'TOOLS.md'] as const).map((name) => host.records.latestFile(id, name)),
  )
  expect(texts.map((revision) => revision?.content ?? null)).toEqual(['theirs', 'rules', null, null])
})

test('[OC37] when the Gateway is silent or lacks the agent, the last stored files stay readable', async () => {
  const { source, gateway, line } = await open()
  const { id, sourceAgentId } = await source.createAgent({ name: 'Ada', files: { 'SOUL.md': 'ours' } })
  gateway.answers['agents.files.get'] = () => new Promise(() => {})
  expect(await source.readFile(id, 'SOUL.md')).toBe('ours')
  const reading = source.readFile(id, 'SOUL.md')
  line.cut()
  expect(await reading).toBe('ours')
  await expect.poll(async () => (await source.health()).state).toBe('reconnecting')
  line.mend()
  await expect.poll(async () => (await source.health()).state).toBe('connected')
  gateway.fleet.remove(sourceAgentId)
  await source.sync()
  delete gateway.answers['agents.files.get']
  expect(await source.readFile(id, 'SOUL.md')).toBe('ours')
})

test('[OC36] a change that the registry refuses is undone at the Gateway', async () => {
  const { source, gateway } = await open()
  const { id, sourceAgentId } = await source.createAgent({ name: 'Ada', emoji: '👻' })
  await expect(source.updateAgent(id, { name: 'Ida', emoji: '🌿', teamId: 'nowhere' })).rejects.toThrow()
  expect(gateway.fleet.agents.get(sourceAgentId)).toMatchObject({ name: 'Ada', emoji: '👻' })
  expect(await source.getAgent(id)).toMatchObject({ displayName: 'Ada', emoji: '👻', teamId: null })
})

test('[OC76] an agent’s settings are checked before anything changes, and the error names the wrong field', async () => {
  const { source, gateway } = await open()
  const { id } = await source.createAgent({ name: 'Ada', execConfig: { permissionMode: 'guarded', budgetUsd: 2 } })
  for (const [execConfig, path] of [
    [{ permissionMode: 'guardde' }, 'execConfig.permissionMode'],
    [{ model: 'no-provider' }, 'execConfig.model'],
    [{ budgetUsd: -1 }, 'execConfig.budgetUsd'],
    [{ exec: { security: 'deny' } }, 'execConfig'],
  ] as const) {
    const refusal = { code: 'agent_config_invalid', message: expect.stringContaining(`${path}:`) }
    await expect(source.updateAgent(id, { name: 'Ida', execConfig })).rejects.toMatchObject(refusal)
    await expect(source.createAgent({ name: 'Bob', execConfig })).rejects.toMatchObject(refusal)
  }
  const personalityConfig = { role: 'x'.repeat(200) }
  await expect(source.updateAgent(id, { personalityConfig })).rejects.toMatchObject({ code: 'agent_config_invalid' })
  expect([...gateway.fleet.agents.values()].map(({ name }) => name)).toEqual([null, 'Ada'])
  expect(await source.getAgent(id)).toMatchObject({ execConfig: { permissionMode: 'guarded', budgetUsd: 2 } })
})

test('[OC38] an agent lists only its own sessions at the Gateway', async () => {
  const { source, gateway, runtime } = await open({ agents: [{ id: 'moss' }] })
  const [main, moss] = await Promise.all(
    ['main', 'moss'].map(async (id) => (await source.listAgents()).find((agent) => agent.sourceAgentId === id)!),
  )
  const prompt = { id: 'p1', text: 'play hang' }
  const task = { agent: moss!, files: NO_FILES, sessionKey: `agent:${moss!.id}:room`, prompt }
  const run = await runtime.start(task, { runId: 'run-1' } as Parameters<typeof runtime.start>[1])
  await expect.poll(() => gateway.sessions.byKey.get('agent:moss:room')?.play?.underWay.size).toBe(1)
  expect(await source.listSessions(main!.id)).toEqual([])
  expect(await source.listSessions(moss!.id)).toMatchObject([
    { id: 'agent:moss:room', agentId: moss!.id, title: 'room', status: 'active' },
  ])
  await runtime.abort(run)
})

test('[OC38] a session has its name at the Gateway, its name here, or its channel, and never a raw key', async () => {
  const { source, gateway, store } = await open()
  const main = (await source.listAgents())[0]!
  await store.teams.insert({ id: 'night', name: 'Night shift', createdAt: 1 })
  const sessionKey = `agent:${main.id}:room:team:night`
  await store.runs.insert(newRun('r1', { agentId: main.id, sessionKey }))
  const rows = [
    { key: 'agent:main:main', createdAt: 1, startedAt: 9, updatedAt: 10, lastMessagePreview: 'Hello\u001b[2J.' },
    { key: 'agent:main:telegram:direct:42', startedAt: 5, updatedAt: 30 },
    { key: upstreamSessionKey(main, sessionKey), updatedAt: 20, archived: true },
    { key: 'agent:main:subagent:1', label: 'counter\u0007', updatedAt: 5 },
    { key: '' },
    null,
  ]
  gateway.answers['sessions.list'] = () => ({ sessions: rows })
  const read = (await source.listSessions(main.id)).map(({ title, preview, status, createdAt }) => ({
    ...{ title, preview, status, createdAt },
  }))
  expect(read).toEqual([
    { title: 'telegram · direct · 42', preview: null, status: 'idle', createdAt: 5 },
    { title: 'Room of Night shift', preview: null, status: 'closed', createdAt: 20 },
    { title: 'Conversation', preview: 'Hello[2J.', status: 'idle', createdAt: 1 },
    { title: 'counter', preview: null, status: 'idle', createdAt: 5 },
  ])
})
