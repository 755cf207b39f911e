import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openGateway } from './gateway/test-connection.ts'
import type { TestGateway } from './stand-in/test-gateway.ts'
import { Refusal } from './stand-in/test-gateway-method.ts'
import { connectTestIntegration } from './stand-in/test-integration.ts'

const lists = (gateway: TestGateway) => gateway.sent.filter(({ method }) => method === 'agents.list').length
/** Longer than the sync waits for quiet. */
const quiet = () => pause(1_200)

async function openStarted() {
  const gateway = await openGateway()
  const opened = await connectTestIntegration(gateway, { isStarted: true })
  onTestFinished(() => opened.dispose())
  const { agentSource: source } = opened
  const ids = async () => (await source.listAgents()).map((agent) => agent.sourceAgentId)
  await expect.poll(ids).toEqual(['main'])
  return { ...opened, gateway, source, ids }
}

test('[OC30] the fleet is read when the connection opens, and again when it reopens', async () => {
  const { gateway, ids, line } = await openStarted()
  expect(lists(gateway)).toBe(1)
  line.cut()
  gateway.fleet.put({ id: 'moss', name: 'Moss' })
  line.mend()
  await expect.poll(ids).toEqual(['main', 'moss'])
  gateway.fleet.put({ id: 'fern', name: 'Fern' })
  gateway.restart()
  await expect.poll(ids).toEqual(['main', 'moss', 'fern'])
})

test.each([
  ['presence', { presence: [] }],
  ['heartbeat', { status: 'skipped' }],
  ['config.changed', { hash: 'x' }],
  ['agent', { runId: 'r', stream: 'lifecycle', data: { phase: 'start' } }],
  ['agent', { runId: 'r', stream: 'lifecycle', data: { phase: 'end' } }],
  ['agent', { runId: 'r', stream: 'lifecycle', data: { phase: 'error' } }],
])('[OC31] %s frames of a changed fleet lead to one sync, however many arrive at once', async (event, payload) => {
  const { gateway, ids } = await openStarted()
  gateway.fleet.put({ id: 'moss', name: 'Moss' })
  for (let time = 0; time < 20; time++) gateway.say(event, payload)
  await expect.poll(ids).toEqual(['main', 'moss'])
  await quiet()
  expect(lists(gateway)).toBe(2)
})

test('[OC31] an agent’s messages and tool calls do not trigger a sync', async () => {
  const { gateway } = await openStarted()
  for (let time = 0; time < 200; time++) {
    gateway.say('agent', { runId: 'r', stream: 'assistant', data: { text: 'a'.repeat(time) } })
    gateway.say('agent', { runId: 'r', stream: 'tool', data: { phase: 'start' } })
    gateway.say('chat', { runId: 'r', state: 'delta' })
    gateway.say('tick', {})
    gateway.say('health', { ok: true })
  }
  await quiet()
  expect(lists(gateway)).toBe(1)
})

test('[OC32] continuous frames do not delay a sync forever', async () => {
  const { gateway, ids } = await openStarted()
  gateway.fleet.put({ id: 'moss', name: 'Moss' })
  const talk = setInterval(() => gateway.say('presence', {}), 100)
  onTestFinished(() => clearInterval(talk))
  await expect.poll(ids).toEqual(['main', 'moss'])
})

test('[OC32] lost frames trigger a sync', async () => {
  const { gateway, ids } = await openStarted()
  gateway.say('tick', {})
  gateway.fleet.put({ id: 'moss', name: 'Moss' })
  gateway.loseFrame()
  gateway.say('tick', {})
  await expect.poll(ids).toEqual(['main', 'moss'])
})

test('[OC33] an unreadable fleet keeps its last state and reports the reason', async () => {
  const { gateway, source, ids } = await openStarted()
  gateway.answers['agents.list'] = () => {
    throw new Refusal('the list is being written')
  }
  gateway.restart()
  await expect.poll(async () => (await source.health()).detail).toMatch(/agents\.list: the list is being written/)
  expect(await ids()).toEqual(['main'])
  delete gateway.answers['agents.list']
  gateway.say('presence', {})
  await expect.poll(async () => (await source.health()).detail).toBeUndefined()
})
