import { describeAgentSourceContract } from '@clawboo/core/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Store } from '../../store/open-store.ts'
import { testEngines } from '../../store/test-stores.ts'
import { createNativeAgentSource } from './agent-source.ts'
import { openTestHost } from './test-host.ts'

describe.each(testEngines())('Native agents on $engine', ({ engine, createDatabase }) => {
  const openSource = async () => {
    const { host, store, recordsOf, dispose } = await openTestHost({ createDatabase })
    return { source: createNativeAgentSource(host), store, foreign: recordsOf('elsewhere'), dispose }
  }

  describeAgentSourceContract(`native on ${engine}`, openSource)

  describe('its own rules', () => {
    let opened: Awaited<ReturnType<typeof openSource>>
    let store: Store
    beforeAll(async () => {
      opened = await openSource()
      store = opened.store
    })
    afterAll(() => opened.dispose())

    test('[RG27] an id tells the name and is unique', async () => {
      const made = [
        await opened.source.createAgent({ name: 'Émile Zola' }),
        await opened.source.createAgent({ name: 'Émile Zola' }),
      ]
      for (const { id } of made) expect(id).toMatch(/^native-emile-zola-[0-9a-f]{6}$/)
      expect(made[0]!.id).not.toBe(made[1]!.id)
    })

    test('[RG28] a config with an unknown or ill-typed field is refused by name, and nothing is made', async () => {
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

    test('[RG29] another source’s agent is an unknown id', async () => {
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

    test('[RG40] a text written while the agent ran elsewhere is still the newest when it is back', async () => {
      const { id } = await opened.source.createAgent({ name: 'Back', files: { 'SOUL.md': 'written at home' } })
      const move = (runtime: string) => store.agents.update('clawboo-native', id, { runtime, updatedAt: Date.now() })
      await move('elsewhere')
      await opened.source.writeFile(id, 'SOUL.md', 'written elsewhere')
      await move('clawboo-native')
      expect(await opened.source.readFile(id, 'SOUL.md')).toBe('written elsewhere')
      expect((await store.agentFiles.latest(id, 'SOUL.md'))?.revision).toBe(2)
    })

    test('[RG13] a deleted agent takes its settings with it', async () => {
      const { id } = await opened.source.createAgent({ name: 'Set' })
      await store.settings.set(`agent:${id}:limit`, 1)
      await store.settings.set('agent:other:limit', 2)
      await opened.source.deleteAgent(id)
      expect(await store.settings.get(`agent:${id}:limit`)).toBeUndefined()
      expect(await store.settings.get('agent:other:limit')).toBe(2)
    })
  })
})
