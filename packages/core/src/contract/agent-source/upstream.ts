import { expect, it } from 'vitest'
import type { AgentRecord, AgentSource } from '../../registry/index.ts'
import { listed, type WithSource } from './fixture.ts'

/** Tests both claims: a source with an upstream follows it, and a source without one is never behind. */
export function describeUpstream(withSource: WithSource): void {
  describeSync(withSource)
  describeAbsence(withSource)
}

function describeSync(withSource: WithSource): void {
  it(
    '[RG20] a sync adds new and changed agents and keeps the fields that belong to the registry',
    withSource(async ({ source, upstream }) => {
      if (!upstream) return expectOwnUpstream(source)
      await upstream.put(listed('moss'))
      expect(await source.sync()).toMatchObject({ added: 1 })
      const row = await findBySourceId(source, 'moss')
      await source.updateAgent(row.id, { avatarSeed: 'mine', personalityConfig: { role: 'copy' } })
      await upstream.put(listed('moss', { emoji: '🌿' }))
      expect(await source.sync()).toMatchObject({ updated: 1 })
      expect(await findBySourceId(source, 'moss')).toMatchObject({
        emoji: '🌿',
        avatarSeed: 'mine',
        personalityConfig: { role: 'copy' },
      })
    }),
  )

  it(
    '[RG21] an agent that vanishes upstream is archived, and its registry fields are restored when it returns',
    withSource(async ({ source, upstream }) => {
      if (!upstream) return expectOwnUpstream(source)
      const before = await source.listAgents()
      await upstream.put(listed('moss'))
      await source.sync()
      const { id } = await findBySourceId(source, 'moss')
      await source.updateAgent(id, { avatarSeed: 'mine' })
      await upstream.remove('moss')
      expect(await source.sync()).toMatchObject({ archived: 1 })
      expect(await source.listAgents()).toEqual(before)
      expect((await source.getAgent(id))?.status).toBe('archived')
      await upstream.put(listed('moss'))
      expect(await source.sync()).toMatchObject({ revived: 1 })
      expect(await source.getAgent(id)).toMatchObject({ id, archivedAt: null, status: 'idle', avatarSeed: 'mine' })
    }),
  )
}

function describeAbsence(withSource: WithSource): void {
  it(
    '[RG57] a person deletes the agents that are gone upstream, and no others',
    withSource(async ({ source, upstream }) => {
      if (!upstream) return expect(source.removeGhosts).toBeUndefined()
      const kept = await source.listAgents()
      await upstream.put(listed('moss'))
      await source.sync()
      const { id } = await findBySourceId(source, 'moss')
      expect(await source.removeGhosts!()).toEqual({ removed: [] })
      await upstream.remove('moss')
      expect(await source.removeGhosts!()).toEqual({ removed: [id] })
      expect(await source.listAgents({ includeArchived: true })).toEqual(kept)
    }),
  )

  it(
    '[RG22] while the upstream is away, reads work and writes throw upstream_disconnected',
    withSource(async ({ source, upstream }) => {
      if (!upstream) return expectOwnUpstream(source)
      const made = await source.createAgent({ name: 'Ada' })
      const before = await source.listAgents()
      await upstream.disconnect()
      expect(await source.listAgents()).toEqual(before)
      expect(await source.getAgent(made.id)).toEqual(made)
      const writes = [
        source.createAgent({ name: 'Bob' }),
        source.updateAgent(made.id, { name: 'x' }),
        source.deleteAgent(made.id),
        source.writeFile(made.id, 'SOUL.md', 'x'),
        source.sync(),
        source.listSessions(made.id),
      ]
      for (const write of await Promise.allSettled(writes))
        expect(write).toMatchObject({ reason: { code: 'upstream_disconnected' } })
      expect(await source.listAgents()).toEqual(before)
    }),
  )
}

/** Without an upstream nothing can be out of date: every write works and a sync changes nothing. */
async function expectOwnUpstream(source: AgentSource): Promise<void> {
  const made = await source.createAgent({ name: 'Ada' })
  expect(await source.health()).toMatchObject({ state: 'connected' })
  expect(await source.sync()).toMatchObject({ added: 0, updated: 0, archived: 0, revived: 0, unchanged: 1 })
  expect(await source.listAgents()).toEqual([made])
}

async function findBySourceId(source: AgentSource, sourceAgentId: string): Promise<AgentRecord> {
  const row = (await source.listAgents({ includeArchived: true })).find(
    (agent) => agent.sourceAgentId === sourceAgentId,
  )
  if (!row) throw new Error(`no agent for upstream ${sourceAgentId}`)
  return row
}
