import type { AgentRecord, UpstreamAgent } from '@clawboo/core/registry'
import { beforeEach, describe, expect, it } from 'vitest'
import type { NewAgent } from '../repositories/agents/agents-repository.ts'
import { sql } from '../sql.ts'
import { type CreateDatabase, useStore } from './use-store.ts'

export const newAgent = (id: string, overrides: Partial<NewAgent> = {}): NewAgent => ({
  id,
  sourceId: 'source-a',
  sourceAgentId: `upstream-${id}`,
  name: `Name of ${id}`,
  runtime: 'runtime-a',
  createdAt: 100,
  ...overrides,
})

export function describeAgents(createDatabase: CreateDatabase): void {
  describe('agents', () => {
    const subject = useStore(createDatabase)
    beforeEach(async () => {
      await subject.store.db.run(sql`DELETE FROM agents`)
      await subject.store.db.run(sql`DELETE FROM teams`)
    })
    describeReading(subject)
    describeListing(subject)
    describeWriting(subject)
    describeStatus(subject)
  })
}

type Subject = ReturnType<typeof useStore>
const ids = (records: readonly { readonly id: string }[]) => records.map(({ id }) => id)

function describeReading(subject: Subject): void {
  it('[ST40] a new agent reads back with its defaults', async () => {
    const { agents } = subject.store
    const inserted = await agents.insert(newAgent('ada'))
    expect(inserted).toEqual({
      id: 'ada',
      sourceId: 'source-a',
      sourceAgentId: 'upstream-ada',
      displayName: 'Name of ada',
      emoji: null,
      avatarUrl: null,
      avatarSeed: 'ada',
      status: 'idle',
      statusAt: 100,
      sessionKey: null,
      isDefault: false,
      teamId: null,
      personalityConfig: null,
      execConfig: null,
      capabilities: null,
      participantKind: 'agent',
      runtime: 'runtime-a',
      tenantId: null,
      archivedAt: null,
      createdAt: 100,
      updatedAt: 100,
    })
    expect(await agents.get('ada')).toEqual(inserted)
    expect(await agents.get('nobody')).toBeNull()
  })

  it('[ST41] the shown name is the person’s name for the agent, else the upstream’s name, else the upstream’s id', async () => {
    const { agents } = subject.store
    expect((await agents.insert(newAgent('a', { nameOverride: 'Mine' }))).displayName).toBe('Mine')
    expect((await agents.insert(newAgent('b'))).displayName).toBe('Name of b')
    expect((await agents.insert(newAgent('c', { name: null }))).displayName).toBe('upstream-c')
  })
}

function describeListing(subject: Subject): void {
  it('[ST42] lists are ordered by age, then id, with archived agents only on request', async () => {
    const { agents, teams } = subject.store
    await teams.insert({ id: 'team', name: 'Team', createdAt: 1 })
    await agents.insert(newAgent('z', { createdAt: 1 }))
    await agents.insert(newAgent('b', { createdAt: 2, teamId: 'team' }))
    await agents.insert(newAgent('a', { createdAt: 2, archivedAt: 3 }))
    await agents.insert(newAgent('other', { createdAt: 0, sourceId: 'source-b' }))
    expect(ids(await agents.listAll())).toEqual(['other', 'z', 'b'])
    expect(ids(await agents.listAll({ includeArchived: true }))).toEqual(['other', 'z', 'a', 'b'])
    expect(ids(await agents.list('source-a'))).toEqual(['z', 'b'])
    expect(ids(await agents.list('source-a', { includeArchived: true }))).toEqual(['z', 'a', 'b'])
    expect(ids(await agents.list('source-a', { teamId: 'team' }))).toEqual(['b'])
    expect(await agents.namesInTeam('team')).toEqual([{ id: 'b', displayName: 'Name of b', participantKind: 'agent' }])
    expect(ids(await agents.namesInTeam(null))).toEqual(['other', 'z'])
    expect(await agents.countsBySource()).toEqual([
      { sourceId: 'source-a', live: 2, archived: 1 },
      { sourceId: 'source-b', live: 1, archived: 0 },
    ])
  })

  it('[ST42] the pages together contain the same agents as the list', async () => {
    const { agents } = subject.store
    for (const [at, id] of ['c', 'a', 'b', 'z', 'y', 'x', 'd'].entries())
      await agents.insert(newAgent(id, { createdAt: at >> 2, archivedAt: id === 'a' ? 9 : null }))
    for (const includeArchived of [false, true])
      for (const limit of [1, 2, 3, 7, 8]) {
        const paged: AgentRecord[] = []
        for (;;) {
          const page = await agents.page({ includeArchived, limit, after: paged.at(-1) ?? null })
          expect(page.length).toBeLessThanOrEqual(limit)
          if (page.length === 0) break
          paged.push(...page)
        }
        expect(paged).toEqual(await agents.listAll({ includeArchived }))
      }
  })
}

function describeWriting(subject: Subject): void {
  it('[ST43] an update writes the given fields and leaves the others', async () => {
    const { agents } = subject.store
    const before = await agents.insert(newAgent('ada', { emoji: '👻', execConfig: { model: 'x' } }))
    const personalityConfig = { tone: ['dry', null, 1.5] }
    const after = await agents.update('source-a', 'ada', {
      nameOverride: 'Ada',
      isDefault: true,
      personalityConfig,
      updatedAt: 200,
    })
    expect(after).toEqual({ ...before, displayName: 'Ada', isDefault: true, personalityConfig, updatedAt: 200 })
    const cleared = await agents.update('source-a', 'ada', { execConfig: null, nameOverride: null, updatedAt: 300 })
    expect(cleared).toMatchObject({ execConfig: null, displayName: 'Name of ada', personalityConfig })
  })

  it('[ST44] a source reads and changes only its own agents', async () => {
    const { agents } = subject.store
    await agents.insert(newAgent('ada'))
    expect(await agents.getInSource('source-a', 'ada')).not.toBeNull()
    expect(await agents.getInSource('source-b', 'ada')).toBeNull()
    expect(await agents.update('source-b', 'ada', { emoji: '💥', updatedAt: 1 })).toBeNull()
    expect(await agents.remove('source-b', 'ada')).toBe(false)
    expect(await agents.get('ada')).toMatchObject({ emoji: null })
  })

  it('[ST45] a source cannot have the same upstream agent twice', async () => {
    const { agents } = subject.store
    await agents.insert(newAgent('ada'))
    await expect(agents.insert(newAgent('eve', { sourceAgentId: 'upstream-ada' }))).rejects.toMatchObject({
      kind: 'unique',
    })
    await agents.insert(newAgent('eve', { sourceAgentId: 'upstream-ada', sourceId: 'source-b' }))
  })

  it('[ST46] removing an agent removes its file revisions', async () => {
    const { agents, agentFiles } = subject.store
    await agents.insert(newAgent('ada'))
    await agentFiles.append({ agentId: 'ada', name: 'SOUL.md', content: 'x', author: 'me', expectedRevision: 0, at: 1 })
    expect(await agents.remove('source-a', 'ada')).toBe(true)
    expect(await agents.remove('source-a', 'ada')).toBe(false)
    expect(await agentFiles.latest('ada', 'SOUL.md')).toBeNull()
  })
}

function describeStatus(subject: Subject): void {
  it('[ST47] a status is written with its time; an archived agent keeps its own', async () => {
    const { agents } = subject.store
    await agents.insert(newAgent('ada'))
    await agents.insert(newAgent('old', { status: 'archived', archivedAt: 5 }))
    expect(await agents.setStatus('ada', 'running', 250)).toBe(true)
    expect(await agents.get('ada')).toMatchObject({ status: 'running', statusAt: 250, updatedAt: 250 })
    expect(await agents.setStatus('old', 'running', 250)).toBe(false)
    expect(await agents.setStatus('nobody', 'running', 250)).toBe(false)
    expect(await agents.get('old')).toMatchObject({ status: 'archived' })
  })

  it('[ST48] agents that were left running become unknown and keep the time when they were last seen running', async () => {
    const { agents } = subject.store
    await agents.insert(newAgent('ada', { status: 'running', statusAt: 70 }))
    await agents.insert(newAgent('bob', { status: 'error', statusAt: 80 }))
    expect(await agents.markRunningAsUnknown()).toEqual([{ id: 'ada', statusAt: 70 }])
    expect(await agents.markRunningAsUnknown()).toEqual([])
    expect(await agents.get('ada')).toMatchObject({ status: 'unknown', statusAt: 70 })
    expect(await agents.get('bob')).toMatchObject({ status: 'error', statusAt: 80 })
  })
}

export const upstreamAgent = (sourceAgentId: string, overrides: Partial<UpstreamAgent> = {}): UpstreamAgent => ({
  sourceAgentId,
  name: sourceAgentId.toUpperCase(),
  emoji: null,
  avatarUrl: null,
  sessionKey: null,
  isDefault: false,
  ...overrides,
})
