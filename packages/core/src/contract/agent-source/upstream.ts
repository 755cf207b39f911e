import { expect, it } from 'vitest'
import type { AgentRecord, AgentSource } from '../../registry/index.ts'
import { listed, type WithSource } from './fixture.ts'

/** Both ways: a source with an upstream follows it; a source without one has no upstream to lose. */
export function describeUpstream(withSource: WithSource): void {
  it(
    '[RG20] a sync takes in new and changed agents and keeps what is ours',
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
    '[RG21] an agent that vanishes upstream is archived, and revived with all that is ours when it is back',
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

  it(
    '[RG57] agents that are gone upstream are removed for good when a person says so, and nobody else is',
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
    '[RG22] while the upstream is away reads answer and writes say upstream_disconnected',
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
        source.archiveAgent(made.id),
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

/** Without an upstream nothing can be behind: every write works and a sync finds all as it is. */
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
