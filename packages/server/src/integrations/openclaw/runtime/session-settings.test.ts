import type { AgentRecord } from '@clawboo/core/registry'
import { expect, test } from 'vitest'
import { NO_FILES } from '../../../executor/run/test-run-inputs.ts'
import { openConnection } from '../gateway/test-connection.ts'
import { openTestRoles } from '../stand-in/test-integration.ts'
import { recordedVersions } from '../stand-in/test-recordings.ts'
import { openTestRuntime, type TestRuntime } from './test-runtime.ts'

const KEY = 'agent:main:room'
const session = ({ gateway }: TestRuntime, key = KEY) => gateway.sessions.byKey.get(key)!
const patches = ({ gateway }: TestRuntime) =>
  gateway.sent.filter(({ method }) => method === 'sessions.patch').map(({ params }) => params)

/** One turn of the agent as it is set up now, over `runtime` or the one of the test. */
async function turn(test: TestRuntime, model?: string, runtime = test.runtime, agentId = test.agent.id) {
  const agent = (await test.agentSource.getAgent(agentId)) as AgentRecord
  const prompt = { id: `prompt-${Math.random()}`, text: 'play turn-plain' }
  const task = { agent, files: NO_FILES, sessionKey: `agent:${agent.id}:room`, prompt }
  const wish = { runId: prompt.id, resume: null, ...(model ? { model } : {}) }
  const run = await runtime.start(task, wish as unknown as Parameters<typeof runtime.start>[1])
  for await (const event of runtime.events(run)) if (event.type === 'error') throw new Error(event.message)
}

/** On the same database, over a connection of its own. */
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
  '[OC75] what is chosen for a session holds until it is taken back, also over a restart of the server: %s',
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

test('[OC75] what two servers on one database chose for different sessions is taken back by either', async () => {
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

test('[OC75] a model that is chosen during a run and taken back before the next one is taken back at the Gateway', async () => {
  const opened = await openTestRuntime()
  const run = await opened.start('play hang')
  await opened.runtime.setModel!(run.handle, 'scripted/other')
  expect(session(opened).model).toBe('scripted/other')
  await opened.runtime.abort(run.handle)
  await run.ended
  await turn(opened)
  expect(session(opened).model).toBeNull()
})

test('[OC75] what somebody chose at the Gateway for a session is left alone', async () => {
  const opened = await openTestRuntime()
  const { connection } = await openConnection(opened.gateway)
  await connection.call('sessions.patch', { key: KEY, model: 'scripted/other', permissionMode: 'read-only' })
  await turn(opened)
  expect(session(opened)).toMatchObject({ model: 'scripted/other', permissionMode: 'read-only' })
  // Also after a wish of ours that the Gateway did not take.
  await expect(turn(opened, 'scripted/none')).rejects.toMatchObject({ code: 'model_unknown' })
  await turn(opened)
  expect(session(opened)).toMatchObject({ model: 'scripted/other', permissionMode: 'read-only' })
})

test('[OC75] a choice for somebody who is given the id of a deleted agent is not taken for one of ours', async () => {
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

test('[OC75] permissions that an older release does not know are refused by their name, and nothing is sent', async () => {
  const opened = await openTestRuntime({ version: recordedVersions()[0]! })
  await opened.agentSource.updateAgent(opened.agent.id, { execConfig: { permissionMode: 'workspace' } })
  await expect(turn(opened)).rejects.toMatchObject({
    code: 'upstream_refused',
    message: expect.stringContaining('"workspace"'),
  })
  expect(opened.gateway.sent.some(({ method }) => method === 'chat.send')).toBe(false)
})

test('[OC77] the models are listed as the Gateway names them, and what is no model of it is not', async () => {
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
