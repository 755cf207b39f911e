import { describe, expect, it } from 'vitest'
import { AGENT_FILE_NAMES, type AgentEvent } from '../registry/index.ts'
import { type AgentSourceFixture, listed, type WithSource } from './agent-source/fixture.ts'
import { describeUpstream } from './agent-source/upstream.ts'

export type { AgentSourceFixture } from './agent-source/fixture.ts'

/**
 * The contract of every AgentSource. Takes a factory: each rule gets its own source, which may already contain agents.
 */
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
    describeReads(withSource)
    describeWrites(withSource)
    describeFiles(withSource)
    describeLifecycle(withSource)
    describeUpstream(withSource)
  })
}

function describeReads(withSource: WithSource): void {
  it(
    '[RG10] a created agent reads back unchanged, in the list and by id',
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
        source.deleteAgent('nobody'),
        source.writeFile('nobody', 'SOUL.md', 'x'),
        source.readFile('nobody', 'SOUL.md'),
        source.listSessions('nobody'),
      ]
      for (const refusal of await Promise.allSettled(refusals))
        expect(refusal).toMatchObject({ reason: { code: 'agent_not_found' } })
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

function describeWrites(withSource: WithSource): void {
  it(
    '[RG12] a patch changes only the named fields',
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
      await source.deleteAgent(first.id)
      expect(await source.getAgent(first.id)).toBeNull()
      expect(await source.listAgents({ includeArchived: true })).toEqual(before)
      const second = await source.createAgent({ name: 'Ada' })
      expect(second.id).not.toBe(first.id)
      expect(await source.readFile(second.id, 'SOUL.md')).toBe('')
    }),
  )
}

function describeFiles(withSource: WithSource): void {
  it(
    '[RG15] every supported agent file reads as empty, then as written',
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
    '[RG15] an unsupported file reads as empty and refuses writes by name',
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
    '[RG16] exactly one of many writers on one base wins',
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
    '[RG17] every consumer receives all events from its call of events() until the source stops',
    withSource(async ({ source, upstream }) => {
      const streams = [source.events(), source.events()]
      await source.start()
      await expect.poll(async () => (await source.health()).state).toBe('connected')
      await source.stop()
      for (const stream of streams) {
        const seen: AgentEvent[] = []
        for await (const event of stream) seen.push(event)
        // Without an upstream, the source has no events of its own.
        if (!upstream) expect(seen).toEqual([])
        else expect(seen).toContainEqual({ type: 'connection', sourceId: source.id, state: 'connected' })
      }
    }),
  )

  it(
    '[RG17] a consumer that leaves its loop receives no more events, and the others continue',
    withSource(async ({ source, upstream }) => {
      if (!upstream) return
      const leaving = source.events()
      const staying = source.events()
      await source.start()
      for await (const _ of leaving) break
      await expect.poll(async () => (await source.health()).state).toBe('connected')
      await source.stop()
      const states: string[] = []
      for await (const event of staying) if (event.type === 'connection') states.push(event.state)
      expect(states).toContain('connected')
      for await (const _ of leaving) throw new Error('the consumer had left')
    }),
  )

  it(
    '[RG18] health returns a state and never rejects',
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
