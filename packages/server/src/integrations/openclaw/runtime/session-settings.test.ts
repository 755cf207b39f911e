import type { AgentRecord } from '@clawboo/core/registry'
import { expect, test } from 'vitest'
import { NO_FILES } from '../../../executor/run/test-run-inputs.ts'
import { openConnection } from '../gateway/test-connection.ts'
import { Refusal } from '../stand-in/test-gateway-method.ts'
import { openTestRoles } from '../stand-in/test-integration.ts'
import { recordedVersions } from '../stand-in/test-recordings.ts'
import { openTestRuntime, type TestRuntime } from './test-runtime.ts'

const KEY = 'agent:main:room'
const session = ({ gateway }: TestRuntime, key = KEY) => gateway.sessions.byKey.get(key)!
const patches = ({ gateway }: TestRuntime) =>
  gateway.sent.filter(({ method }) => method === 'sessions.patch').map(({ params }) => params)

/** One run with the agent's current settings, on `runtime` or the test's own. */
async function turn(test: TestRuntime, model?: string, runtime = test.runtime, agentId = test.agent.id) {
  const agent = (await test.agentSource.getAgent(agentId)) as AgentRecord
  const prompt = { id: `prompt-${Math.random()}`, text: 'play turn-plain' }
  const task = { agent, files: NO_FILES, sessionKey: `agent:${agent.id}:room`, prompt }
  const options = { runId: prompt.id, resume: null, ...(model ? { model } : {}) }
  const run = await runtime.start(task, options as unknown as Parameters<typeof runtime.start>[1])
  for await (const event of runtime.events(run)) if (event.type === 'error') throw new Error(event.message)
}

/** A second server on the same database, with its own connection. */
async function anotherServer({ host, line, gateway }: TestRuntime) {
  const { connection, agentSource, loadRuntime } = openTestRoles(host)
  await connection.connect({ address: `ws://127.0.0.1:${line.port}`, secret: gateway.token })
  const runtime = await loadRuntime()
  return {
    runtime,
    async close() {
      await runtime.dispose!()
      await agentSource.stop()
    },
  }
}

test.each(recordedVersions())(
  '[OC75] a setting that is chosen for a session applies until it is removed, even after a server restart: %s',
  async (version) => {
    const opened = await openTestRuntime({ version })
    const set = (execConfig: object | null) => opened.agentSource.updateAgent(opened.agent.id, { execConfig })
    await turn(opened)
    expect(patches(opened)).toEqual([])
    await set({ model: 'scripted/other', permissionMode: 'guarded' })
    await turn(opened)
    expect(session(opened)).toMatchObject({ model: 'scripted/other', permissionMode: 'guarded' })
    await turn(opened, 'scripted/boo')
    expect(session(opened).model).toBe('scripted/boo')
    await set(null)
    const again = await anotherServer(opened)
    await turn(opened, undefined, again.runtime)
    expect(session(opened)).toMatchObject({ model: null, permissionMode: null })
    const before = patches(opened).length
    await turn(opened, undefined, again.runtime)
    expect(patches(opened)).toHaveLength(before)
    await again.close()
  },
)

test('[OC75] either of two servers on one database can remove the settings that they chose for different sessions', async () => {
  const opened = await openTestRuntime()
  const second = await anotherServer(opened)
  const [kit, lou] = [
    await opened.agentSource.createAgent({ name: 'Kit' }),
    await opened.agentSource.createAgent({ name: 'Lou' }),
  ]
  await turn(opened, 'scripted/other')
  await turn(opened, 'scripted/other', second.runtime, kit.id)
  await turn(opened, 'scripted/other', opened.runtime, lou.id)
  const third = await anotherServer(opened)
  for (const [id, key] of [
    [opened.agent.id, KEY],
    [kit.id, 'agent:kit:room'],
    [lou.id, 'agent:lou:room'],
  ] as const) {
    expect(session(opened, key).model).toBe('scripted/other')
    await turn(opened, undefined, third.runtime, id)
    expect(session(opened, key).model).toBeNull()
  }
  await third.close()
  await second.close()
})

test('[OC75] a model that is chosen during a run and removed before the next one is removed at the Gateway', async () => {
  const opened = await openTestRuntime()
  const run = await opened.start('play hang')
  await opened.runtime.setModel!(run.handle, 'scripted/other')
  expect(session(opened).model).toBe('scripted/other')
  await opened.runtime.abort(run.handle)
  await run.ended
  await turn(opened)
  expect(session(opened).model).toBeNull()
})

test('[OC75] a setting that another client chose for a session is left alone', async () => {
  const opened = await openTestRuntime()
  const { connection } = await openConnection(opened.gateway)
  await connection.call('sessions.patch', { key: KEY, model: 'scripted/other', permissionMode: 'read-only' })
  await turn(opened)
  expect(session(opened)).toMatchObject({ model: 'scripted/other', permissionMode: 'read-only' })
  // Also after one of our settings that the Gateway refused.
  await expect(turn(opened, 'scripted/none')).rejects.toMatchObject({ code: 'model_unknown' })
  await turn(opened)
  expect(session(opened)).toMatchObject({ model: 'scripted/other', permissionMode: 'read-only' })
})

test('[OC75] settings of a new agent with a deleted agent’s id do not count as ours', async () => {
  const opened = await openTestRuntime()
  const key = 'agent:kit:room'
  const { connection } = await openConnection(opened.gateway)
  const first = await opened.agentSource.createAgent({ name: 'Kit' })
  await turn(opened, 'scripted/other', opened.runtime, first.id)
  await opened.agentSource.deleteAgent(first.id)
  const second = await opened.agentSource.createAgent({ name: 'Kit' })
  expect(second.sourceAgentId).toBe(first.sourceAgentId)
  await connection.call('sessions.patch', { key, model: 'scripted/boo' })
  await turn(opened, undefined, opened.runtime, second.id)
  expect(session(opened, key).model).toBe('scripted/boo')
})

test('[OC75] permissions that an older release lacks are refused by name, and nothing is sent', async () => {
  const opened = await openTestRuntime({ version: recordedVersions()[0]! })
  await opened.agentSource.updateAgent(opened.agent.id, { execConfig: { permissionMode: 'workspace' } })
  await expect(turn(opened)).rejects.toMatchObject({
    code: 'upstream_refused',
    message: expect.stringContaining('"workspace"'),
  })
  expect(opened.gateway.sent.some(({ method }) => method === 'chat.send')).toBe(false)
})

test('[OC77] while the Gateway refreshes its models, the list waits for them', async () => {
  const { gateway, runtime } = await openTestRuntime()
  let refusals = 0
  gateway.answers['models.list'] = () => {
    refusals += 1
    if (refusals === 2) delete gateway.answers['models.list']
    throw new Refusal('Error: Model catalog is not ready. Retry after Gateway startup or refresh finishes.', {
      code: 'UNAVAILABLE',
    })
  }
  expect((await runtime.listModels!()).map(({ ref }) => ref)).toEqual(['scripted/boo', 'scripted/other'])
  expect(refusals).toBe(2)
})

test('[OC77] models are listed by the Gateway’s names, and invalid entries are skipped', async () => {
  const { runtime, gateway } = await openTestRuntime()
  const models = ['scripted/boo', 'scripted/other']
  expect((await runtime.listModels!()).map(({ ref }) => ref)).toEqual(models)
  const rows = [
    { provider: 'a', id: 'b', name: 'B' },
    { provider: 'a', id: 'b' },
    { id: 'x' },
    null,
    'x',
    { provider: 7 },
  ]
  gateway.answers['models.list'] = () => ({ models: [...rows, { provider: 'a', id: 'c\u001b[2J' }] })
  expect(await runtime.listModels!()).toEqual([{ ref: 'a/b', label: 'B' }])
  gateway.answers['models.list'] = () => null
  expect(await runtime.listModels!()).toEqual([])
})
