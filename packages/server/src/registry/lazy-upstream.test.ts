import { createMemoryAgentSource } from '@clawboo/core/contract'
import type { SourceRecords } from '@clawboo/core/registry'
import { expect, it } from 'vitest'
import { createLazyUpstream } from './lazy-upstream.ts'

/** The registry's rows of this upstream. */
const records = {
  list: async () => [],
  get: async () => null,
  listTeams: async () => [],
  lastSyncAt: async () => 7,
  latestFile: async () => null,
} as unknown as SourceRecords

function openLazy({ isWanted = false, failures = 0 } = {}) {
  const source = createMemoryAgentSource('far')
  let loads = 0
  const upstream = createLazyUpstream(
    'far',
    {
      label: 'Far',
      isConnectable: true,
      hasToolPolicy: false,
      isWanted: async () => isWanted,
      async load() {
        loads += 1
        if (loads <= failures) throw new Error('not installed')
        return { agentSource: source }
      },
    },
    records,
    () => 5,
  )
  return { ...upstream, loads: () => loads }
}

it('[RG71] an upstream that is not wanted is not loaded by its start, its reads, its health check or its stop', async () => {
  const { agentSource, connection, toolPolicy, loads } = openLazy()
  await agentSource.start()
  expect(await agentSource.listAgents()).toEqual([])
  expect(await agentSource.getAgent('ada')).toBeNull()
  expect(await agentSource.readFile('ada', 'SOUL.md')).toBe('')
  await agentSource.lookAtFiles!('ada')
  expect(await agentSource.health()).toEqual({ state: 'disconnected', lastSyncAt: 7 })
  expect(await connection!.read()).toMatchObject({ state: 'disconnected', since: 5, address: null, lastSyncAt: 7 })
  expect(toolPolicy).toBeNull()
  await agentSource.stop()
  expect(loads()).toBe(0)
})

it('[RG71] an upstream that is wanted is loaded and started with the server, once', async () => {
  const { agentSource, loads } = openLazy({ isWanted: true })
  const events = agentSource.events()
  await agentSource.start()
  await agentSource.sync()
  expect([loads(), (await agentSource.health()).state]).toEqual([1, 'connected'])
  for await (const event of events) {
    expect(event).toMatchObject({ type: 'connection', state: 'connected' })
    break
  }
})

it('[RG71] the first write loads and starts the upstream, and a failed load is tried again', async () => {
  const { agentSource, loads } = openLazy({ failures: 1 })
  await agentSource.start()
  await expect(agentSource.createAgent({ name: 'Ada' })).rejects.toThrow('not installed')
  expect((await agentSource.createAgent({ name: 'Ada' })).displayName).toBe('Ada')
  expect(loads()).toBe(2)
  expect(await agentSource.removeGhosts!()).toEqual({ removed: [] })
})
