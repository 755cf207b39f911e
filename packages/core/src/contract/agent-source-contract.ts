import { describe, expect, it } from 'vitest'
import {
  AGENT_FILE_NAMES,
  type AgentEvent,
  type AgentFileName,
  type AgentRecord,
  type AgentSource,
  type UpstreamAgent,
} from '../registry/index.ts'

/** A source under test, with the strings that move its upstream. A source that is its own upstream has none. */
export interface AgentSourceFixture {
  readonly source: AgentSource
  readonly upstream?: {
    put(agent: UpstreamAgent): Promise<void>
    remove(sourceAgentId: string): Promise<void>
    disconnect(): Promise<void>
  }
  /** The upstream knows no such files. */
  readonly unsupportedFiles?: readonly AgentFileName[]
  /** The upstream writes these itself when an agent is made. */
  readonly bornWith?: readonly AgentFileName[]
  dispose?(): Promise<void>
}

/** What every AgentSource does. Takes a factory: each rule gets a source of its own, perhaps with agents in it already. */
export function describeAgentSourceContract(label: string, open: () => Promise<AgentSourceFixture>): void {
  const withSource = (work: (fixture: AgentSourceFixture) => Promise<void>) => async () => {
    const fixture = await open()
    try {
      await work(fixture)
    } finally {
      await fixture.source.stop()
      await fixture.dispose?.()
    }
  }
  describe(`AgentSource contract: ${label}`, () => {
    describeReadsAndWrites(withSource)
    describeFiles(withSource)
    describeLifecycle(withSource)
    describeUpstream(withSource)
  })
}

type WithSource = (work: (fixture: AgentSourceFixture) => Promise<void>) => () => Promise<void>

const listed = (sourceAgentId: string, more: Partial<UpstreamAgent> = {}): UpstreamAgent => ({
  sourceAgentId,
  name: sourceAgentId,
  emoji: null,
  avatarUrl: null,
  sessionKey: null,
  isDefault: false,
  ...more,
})

function describeReadsAndWrites(withSource: WithSource): void {
  it(
    '[RG10] a created agent is read back as it was made, by list and by id',
    withSource(async ({ source }) => {
      const before = await source.listAgents()
      const made = await source.createAgent({ name: 'Ada', avatarSeed: 'seed', personalityConfig: { role: 'leads' } })
      expect(made).toMatchObject({
        sourceId: source.id,
        displayName: 'Ada',
        avatarSeed: 'seed',
        personalityConfig: { role: 'leads' },
        status: 'idle',
        archivedAt: null,
        teamId: null,
      })
      expect(await source.getAgent(made.id)).toEqual(made)
      expect(await source.listAgents()).toEqual([...before, made])
    }),
  )

  it(
    '[RG11] an unknown id reads as null and is refused by every write',
    withSource(async ({ source }) => {
      expect(await source.getAgent('nobody')).toBeNull()
      const refusals = [
        source.updateAgent('nobody', { name: 'x' }),
        source.archiveAgent('nobody'),
        source.writeFile('nobody', 'SOUL.md', 'x'),
        source.readFile('nobody', 'SOUL.md'),
        source.listSessions('nobody'),
      ]
      for (const refusal of await Promise.allSettled(refusals))
        expect(refusal).toMatchObject({ reason: { code: 'agent_not_found' } })
    }),
  )

  it(
    '[RG12] a patch changes the named fields and leaves the others',
    withSource(async ({ source }) => {
      const made = await source.createAgent({ name: 'Ada', avatarSeed: 'seed', execConfig: { model: 'demo/boo' } })
      const patched = await source.updateAgent(made.id, { name: 'Ida' })
      expect(patched).toMatchObject({
        id: made.id,
        displayName: 'Ida',
        avatarSeed: 'seed',
        execConfig: { model: 'demo/boo' },
        createdAt: made.createdAt,
      })
      expect(await source.getAgent(made.id)).toEqual(patched)
    }),
  )

  it(
    '[RG13] a deleted agent is gone with its files, and another of the same name starts empty',
    withSource(async ({ source }) => {
      const before = await source.listAgents({ includeArchived: true })
      const first = await source.createAgent({ name: 'Ada', files: { 'SOUL.md': 'old soul' } })
      await source.archiveAgent(first.id)
      expect(await source.getAgent(first.id)).toBeNull()
      expect(await source.listAgents({ includeArchived: true })).toEqual(before)
      const second = await source.createAgent({ name: 'Ada' })
      expect(second.id).not.toBe(first.id)
      expect(await source.readFile(second.id, 'SOUL.md')).toBe('')
    }),
  )

  it(
    '[RG14] a new agent has no sessions',
    withSource(async ({ source }) => {
      const made = await source.createAgent({ name: 'Ada' })
      expect(await source.listSessions(made.id)).toEqual([])
    }),
  )
}

function describeFiles(withSource: WithSource): void {
  it(
    '[RG15] every agent file that the upstream knows can be written and read back, and reads as empty before',
    withSource(async ({ source, unsupportedFiles = [], bornWith = [] }) => {
      const { id } = await source.createAgent({ name: 'Ada' })
      const names = AGENT_FILE_NAMES.filter((name) => !unsupportedFiles.includes(name))
      for (const name of names) {
        if (!bornWith.includes(name)) expect(await source.readFile(id, name)).toBe('')
        await source.writeFile(id, name, `text of ${name}\n`)
      }
      for (const name of names) expect(await source.readFile(id, name)).toBe(`text of ${name}\n`)
    }),
  )

  it(
    '[RG15] a file that the upstream does not know is refused by its name, and reads as empty',
    withSource(async ({ source, unsupportedFiles = [] }) => {
      const { id } = await source.createAgent({ name: 'Ada' })
      for (const name of unsupportedFiles) {
        await expect(source.writeFile(id, name, 'x')).rejects.toMatchObject({
          code: 'file_unsupported',
          details: { name },
        })
        expect(await source.readFile(id, name)).toBe('')
      }
      const files = Object.fromEntries(unsupportedFiles.map((name) => [name, 'x']))
      const made = source.createAgent({ name: 'Bob', files })
      if (unsupportedFiles.length === 0) return expect((await made).displayName).toBe('Bob')
      await expect(made).rejects.toMatchObject({ code: 'file_unsupported' })
      expect((await source.listAgents()).map((agent) => agent.displayName)).not.toContain('Bob')
    }),
  )

  it(
    '[RG16] a write over a stale base is refused with the current text and changes nothing',
    withSource(async ({ source }) => {
      const { id } = await source.createAgent({ name: 'Ada', files: { 'SOUL.md': 'one' } })
      await source.writeFile(id, 'SOUL.md', 'two', { baseRevision: 1 })
      await expect(source.writeFile(id, 'SOUL.md', 'three', { baseRevision: 1 })).rejects.toMatchObject({
        code: 'file_revision_stale',
        details: { current: { revision: 2, content: 'two' } },
      })
      expect(await source.readFile(id, 'SOUL.md')).toBe('two')
    }),
  )

  it(
    '[RG16] of many writers on one base exactly one wins',
    withSource(async ({ source }) => {
      const { id } = await source.createAgent({ name: 'Ada' })
      const texts = Array.from({ length: 8 }, (_, n) => `writer ${n}`)
      const outcomes = await Promise.allSettled(
        texts.map((text) => source.writeFile(id, 'SOUL.md', text, { baseRevision: 0 })),
      )
      const winners = texts.filter((_, n) => outcomes[n]!.status === 'fulfilled')
      expect(winners).toHaveLength(1)
      expect(await source.readFile(id, 'SOUL.md')).toBe(winners[0])
    }),
  )
}

function describeLifecycle(withSource: WithSource): void {
  it(
    '[RG17] events are seen from the call of events() on, by every consumer, and end at stop',
    withSource(async ({ source }) => {
      const streams = [source.events(), source.events()]
      const made = await source.createAgent({ name: 'Ada' })
      await source.stop()
      for (const stream of streams) {
        const seen: AgentEvent[] = []
        for await (const event of stream) seen.push(event)
        expect(seen.filter((event) => event.type === 'agent-upserted').map((event) => event.agent.id)).toEqual([
          made.id,
        ])
      }
    }),
  )

  it(
    '[RG17] a consumer that leaves its loop is no longer served and does not disturb the others',
    withSource(async ({ source }) => {
      const leaving = source.events()
      const staying = source.events()
      await source.createAgent({ name: 'Ada' })
      for await (const _ of leaving) break
      await source.createAgent({ name: 'Bob' })
      await source.stop()
      const names: string[] = []
      for await (const event of staying) if (event.type === 'agent-upserted') names.push(event.agent.displayName)
      expect(names).toEqual(['Ada', 'Bob'])
    }),
  )

  it(
    '[RG18] health answers with a state and never rejects',
    withSource(async ({ source, upstream }) => {
      await source.start()
      await expect.poll(async () => (await source.health()).state).toBe('connected')
      await upstream?.disconnect()
      expect(['connected', 'reconnecting', 'disconnected']).toContain((await source.health()).state)
    }),
  )

  it(
    '[RG19] a repeated sync changes nothing',
    withSource(async ({ source, upstream }) => {
      await source.createAgent({ name: 'Ada' })
      await upstream?.put(listed('moss'))
      await source.sync()
      const before = await source.listAgents({ includeArchived: true })
      const again = await source.sync()
      expect(again).toMatchObject({ added: 0, updated: 0, archived: 0, revived: 0, unchanged: before.length })
      expect(await source.listAgents({ includeArchived: true })).toEqual(before)
    }),
  )
}

/** Both ways: a source with an upstream follows it; a source without one has no upstream to lose. */
function describeUpstream(withSource: WithSource): void {
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
    '[RG22] while the upstream is away reads answer and writes say gateway_disconnected',
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
        expect(write).toMatchObject({ reason: { code: 'gateway_disconnected' } })
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
