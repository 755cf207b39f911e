import type { AgentRecord } from '@clawboo/core/registry'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestIntegration } from '../../../packages/server/src/integrations/openclaw/stand-in/test-integration.ts'
import type { JsonObject } from './gateway-config.ts'
import { type GatewayProcess, startGateway } from './gateway-process.ts'
import { connectIntegration } from './open-integration.ts'
import { connectRaw } from './raw-client.ts'

const COUNT = 200
const names = Array.from({ length: COUNT }, (_, n) => `boo-${String(n).padStart(3, '0')}`)

let gateway: GatewayProcess
let test200: TestIntegration
beforeAll(async () => {
  const entries = Object.fromEntries(names.map((name) => [name, { name, identity: { name } }]))
  gateway = await startGateway({ config: { agents: { entries } } })
  test200 = await connectIntegration(gateway)
})
afterAll(async () => {
  await test200?.dispose()
  await gateway?.stop()
})

const sync = () => test200.agentSource.sync()
const find = async (sourceAgentId: string): Promise<AgentRecord> => {
  const all = await test200.agentSource.listAgents({ includeArchived: true })
  return all.find((agent) => agent.sourceAgentId === sourceAgentId)!
}
const ours = ({ id, teamId, personalityConfig, avatarSeed }: AgentRecord) => ({
  ...{ id, teamId, personalityConfig, avatarSeed },
})

test('[OC90] a fleet of 200 is synced, and a second sync of it writes no row', async () => {
  const first = await sync()
  expect(first).toMatchObject({ updated: 0, archived: 0, revived: 0 })
  expect(first.added).toBeGreaterThanOrEqual(COUNT)
  const rows = await test200.agentSource.listAgents()
  const before = await test200.store.events.lastSeq()
  expect(await sync()).toMatchObject({ added: 0, updated: 0, archived: 0, revived: 0, unchanged: rows.length })
  expect(await test200.agentSource.listAgents()).toEqual(rows)
  expect(await test200.store.events.lastSeq()).toBe(before)
})

test('[OC91] Clawboo’s own data about an agent survives a lost connection, a rename, its deletion and its return', async () => {
  const { agentSource, line } = test200
  const { id: teamId } = await test200.store.teams.insert({ id: 'launch', name: 'Launch', createdAt: 1 })
  const patch = { avatarSeed: 'mine', personalityConfig: { role: 'copy' }, teamId }
  const before = ours(await agentSource.updateAgent((await find('boo-007')).id, patch))
  expect(before).toMatchObject(patch)
  line.cut()
  await expect.poll(async () => (await agentSource.health()).state).toBe('reconnecting')
  line.mend()
  await expect.poll(async () => (await agentSource.health()).state).toBe('connected')
  await sync()
  expect(ours(await find('boo-007'))).toEqual(before)

  const { client } = await connectRaw(gateway)
  type ListedAgent = { readonly id: string; readonly name?: string }
  // A Gateway on a busy machine refuses some writes, so each one is repeated until the list shows it.
  const change = async (method: string, params: JsonObject, isShown: (agents: ListedAgent[]) => boolean) => {
    const isDone = async () => {
      if (isShown((await client.request('agents.list', {})).agents as ListedAgent[])) return true
      return client.request(method, params).then(
        () => 'sent',
        (error: Error) => error.message,
      )
    }
    await expect.poll(isDone, { timeout: 600_000 }).toBe(true)
  }
  await change('agents.update', { agentId: 'boo-007', name: 'Seven' }, (agents) =>
    agents.some(({ name }) => name === 'Seven'),
  )
  expect(await sync()).toMatchObject({ updated: 1 })
  expect(await find('boo-007')).toMatchObject({ ...before, displayName: 'Seven' })

  await change('agents.delete', { agentId: 'boo-007' }, (agents) => agents.every(({ id }) => id !== 'boo-007'))
  expect(await sync()).toMatchObject({ archived: 1 })
  expect(await find('boo-007')).toMatchObject({ ...before, status: 'archived' })

  await change('agents.create', { name: 'boo-007' }, (agents) => agents.some(({ id }) => id === 'boo-007'))
  expect(await sync()).toMatchObject({ revived: 1 })
  expect(await find('boo-007')).toMatchObject({ ...before, archivedAt: null })
  await client.close()
})

const halfways = async () => {
  await sync()
  return (await test200.agentSource.listAgents()).filter(({ displayName }) => displayName.startsWith('Halfway'))
}
/** Kills the Gateway during a write, once `until` resolves. */
const killedWhileMaking = async (name: string, until: () => Promise<unknown>) => {
  const known = (await test200.agentSource.listAgents()).length
  const making = test200.agentSource.createAgent({ name }).catch((error: { code: string }) => error.code)
  await until()
  await gateway.kill()
  test200.line.release()
  expect(await making).toBe('upstream_disconnected')
  expect((await test200.agentSource.listAgents()).length).toBeGreaterThanOrEqual(known)
  await gateway.restart()
  await expect.poll(async () => (await test200.agentSource.health()).state).toBe('connected')
}

test('[OC93] when a Gateway is killed before it receives a write, the write fails and no agent is duplicated', async () => {
  const { line } = test200
  const before = line.sent()
  line.hold()
  await killedWhileMaking('Halfway there', () =>
    expect.poll(() => line.sent(), { interval: 1 }).toBeGreaterThan(before),
  )
  expect((await halfways()).length).toBeLessThanOrEqual(1)
})

test('[OC93] when a Gateway is killed after a write whose response is lost, the new agent exists once', async () => {
  const { line } = test200
  line.hold()
  await killedWhileMaking('Halfway back', () => expect.poll(() => line.held()).toContain('"agentId":"halfway-back"'))
  const made = await halfways()
  expect(made.filter(({ displayName }) => displayName === 'Halfway back')).toHaveLength(1)
  const { client } = await connectRaw(gateway)
  const { agents } = await client.request('agents.list', {})
  const ids = (agents as { id: string }[]).map(({ id }) => id).filter((id) => id.startsWith('halfway'))
  expect(made.map(({ sourceAgentId }) => sourceAgentId).toSorted()).toEqual(ids.toSorted())
  await client.close()
})
