import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describeAgentSourceContract } from '@clawboo/core/contract'
import { OWN_SOURCE_ID } from '@clawboo/core/registry'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Store } from '../../store/open-store.ts'
import { testEngines } from '../../store/test-stores.ts'
import { openOwnSource } from './test-own-source.ts'

describe.each(testEngines())('Agents without an upstream on $engine', ({ engine, createDatabase }) => {
  const openSource = async () => {
    const opened = await openOwnSource({ createDatabase })
    return { ...opened, foreign: opened.recordsOf('elsewhere') }
  }

  describeAgentSourceContract(`Clawboo’s own source on ${engine}`, openSource)

  describe('the rules of Clawboo’s own source', () => {
    let opened: Awaited<ReturnType<typeof openSource>>
    let store: Store
    beforeAll(async () => {
      opened = await openSource()
      store = opened.store
    })
    afterAll(() => opened.dispose())

    test('[RG27] an id contains the name and is unique', async () => {
      const made = [
        await opened.source.createAgent({ name: 'Émile Zola' }),
        await opened.source.createAgent({ name: 'Émile Zola' }),
      ]
      for (const { id } of made) expect(id).toMatch(/^native-emile-zola-[0-9a-f]{6}$/)
      expect(made[0]!.id).not.toBe(made[1]!.id)
    })

    test('[RG28] a config with an unknown field or a field of the wrong type is refused with its name, and no agent is created', async () => {
      const before = await opened.source.listAgents()
      for (const [execConfig, field] of [
        [{ modle: 'x' }, 'execConfig'],
        [{ budgetUsd: 'lots' }, 'execConfig.budgetUsd'],
        ['text', 'execConfig'],
      ] as const) {
        const refusal = await opened.source.createAgent({ name: 'X', execConfig }).catch((error) => error)
        expect(refusal).toMatchObject({ code: 'agent_config_invalid', message: expect.stringContaining(field) })
      }
      expect(await opened.source.listAgents()).toEqual(before)
    })

    test('[RG40] a runtime that manages its own agents is refused, and no agent is created', async () => {
      const before = await opened.source.listAgents()
      const connected = opened.runtimes.list().find(({ plan }) => plan.home === 'connected')!
      await expect(opened.source.createAgent({ name: 'Ada', runtime: connected.id })).rejects.toMatchObject({
        code: 'agent_config_invalid',
        details: { field: 'runtime' },
      })
      expect(await opened.source.listAgents()).toEqual(before)
    })

    test('[RG29] the id of another source’s agent is unknown', async () => {
      await opened.foreign.reconcile({
        agents: [
          { sourceAgentId: 'moss', name: 'Moss', emoji: null, avatarUrl: null, sessionKey: null, isDefault: true },
        ],
        mainKey: 'main',
        newId: (id) => `elsewhere-${id}`,
      })
      expect(await opened.source.getAgent('elsewhere-moss')).toBeNull()
      expect((await opened.source.listAgents()).map((agent) => agent.sourceId)).not.toContain('elsewhere')
      await expect(opened.source.deleteAgent('elsewhere-moss')).rejects.toMatchObject({ code: 'agent_not_found' })
      await expect(opened.source.writeFile('elsewhere-moss', 'SOUL.md', 'x')).rejects.toMatchObject({
        code: 'agent_not_found',
      })
      expect(await store.agents.get('elsewhere-moss')).toMatchObject({ displayName: 'Moss', archivedAt: null })
    })

    test('[RG40] a text that was written while the agent had another runtime is still the newest after its return', async () => {
      const made = await opened.source.createAgent({ name: 'Back', files: { 'SOUL.md': 'written at home' } })
      const { id } = made
      const move = (runtime: string) => store.agents.update(OWN_SOURCE_ID, id, { runtime, updatedAt: Date.now() })
      await move('elsewhere')
      await opened.source.writeFile(id, 'SOUL.md', 'written elsewhere')
      await move(made.runtime)
      expect(await opened.source.readFile(id, 'SOUL.md')).toBe('written elsewhere')
      expect((await store.agentFiles.latest(id, 'SOUL.md'))?.revision).toBe(2)
    })

    test('[RG13] deleting an agent removes its homes at all runtimes', async () => {
      const { id, runtime } = await opened.source.createAgent({ name: 'Homes', files: { 'SOUL.md': 'x' } })
      expect(existsSync(join(opened.homeOf(runtime, id), 'workspace'))).toBe(true)
      await opened.source.deleteAgent(id)
      expect(existsSync(opened.homeOf(runtime, id))).toBe(false)
    })

    test('[PE1] a person always gets the runtime of people, whatever the caller passes, and can be in a team', async () => {
      await store.teams.insert({ id: 'writers', name: 'Writers', createdAt: 1 })
      const robin = await opened.source.createAgent({ name: 'Robin Hood', teamId: 'writers', participantKind: 'human' })
      expect(robin).toMatchObject({ participantKind: 'human', runtime: 'human', teamId: 'writers', sessionKey: null })
      expect(robin).toMatchObject({
        sourceId: OWN_SOURCE_ID,
        id: expect.stringMatching(/^person-robin-hood-[0-9a-f]{6}$/),
      })
      const kim = await opened.source.createAgent({ name: 'Kim', runtime: 'human', participantKind: 'agent' })
      expect(kim).toMatchObject({ participantKind: 'human', runtime: 'human' })
      expect(await opened.source.updateAgent(robin.id, { name: 'Rob', teamId: null })).toMatchObject({
        displayName: 'Rob',
        teamId: null,
      })
      for (const { id } of [robin, kim]) await opened.source.deleteAgent(id)
      expect(await opened.source.getAgent(robin.id)).toBeNull()
    })

    test('[RG13] deleting an agent removes its settings', async () => {
      const { id } = await opened.source.createAgent({ name: 'Set' })
      await store.settings.set(`agent:${id}:limit`, 1)
      await store.settings.set('agent:other:limit', 2)
      await opened.source.deleteAgent(id)
      expect(await store.settings.get(`agent:${id}:limit`)).toBeUndefined()
      expect(await store.settings.get('agent:other:limit')).toBe(2)
    })
  })
})
