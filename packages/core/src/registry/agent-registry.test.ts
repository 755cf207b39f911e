import { expect, test } from 'vitest'
import { createMemoryAgentSource, emptyUpstream } from '../contract/memory-agent-source.ts'
import { AgentRegistry } from './agent-registry.ts'
import { readFleet } from './read-fleet.ts'

test('[RG9] the registry keeps sources by id in order, and the first one is the default', () => {
  const registry = new AgentRegistry()
  expect(() => registry.default()).toThrow('no AgentSource')
  const [first, second] = [createMemoryAgentSource('first'), createMemoryAgentSource('second')]
  registry.register(first)
  registry.register(second)
  expect(registry.list()).toEqual([first, second])
  expect(registry.default()).toBe(first)
  expect(registry.get('second')).toBe(second)
  expect(registry.has('third')).toBe(false)
  registry.unregister('first')
  expect(registry.default()).toBe(second)
})

test('[RG9] a second source of the same name is an error, not a replacement', () => {
  const registry = new AgentRegistry()
  registry.register(createMemoryAgentSource('one'))
  expect(() => registry.register(createMemoryAgentSource('one'))).toThrow('already registered')
})

test('[RG23] reading the fleet returns every record and a status per source, stale for one that is away', async () => {
  const registry = new AgentRegistry()
  const away = emptyUpstream()
  const sources = [createMemoryAgentSource('here'), createMemoryAgentSource('away', away)]
  for (const source of sources) {
    registry.register(source)
    await source.createAgent({ name: `of ${source.id}` })
    await source.sync()
  }
  away.connected = false
  const { records, statuses } = await readFleet(registry)
  expect(records.map((record) => record.displayName)).toEqual(['of here', 'of away'])
  expect(statuses).toMatchObject([
    { sourceId: 'here', stale: false, trouble: 'none' },
    { sourceId: 'away', stale: true, trouble: 'offline' },
  ])
  expect(statuses[1]!.lastSyncAt).not.toBeNull()
})

test.each([
  ['connected', null, false, 'none'],
  ['connected', 5, false, 'none'],
  ['disconnected', null, false, 'none'],
  ['disconnected', 5, true, 'offline'],
  ['connecting', null, false, 'offline'],
  ['connecting', 5, true, 'offline'],
  ['reconnecting', null, false, 'offline'],
  ['reconnecting', 5, true, 'offline'],
] as const)('[RG50] %s with a last sync of %s is stale: %s, trouble: %s', async (state, lastSyncAt, stale, trouble) => {
  const registry = new AgentRegistry()
  registry.register({ ...createMemoryAgentSource('one'), health: async () => ({ state, lastSyncAt }) })
  expect((await readFleet(registry)).statuses).toEqual([{ sourceId: 'one', state, lastSyncAt, stale, trouble }])
})

test('[RG24] a broken source returns no records and a status with the problem; the others are still read', async () => {
  const registry = new AgentRegistry()
  const broken = { ...createMemoryAgentSource('broken'), listAgents: () => Promise.reject(new Error('disk on fire')) }
  const mute = { ...createMemoryAgentSource('mute'), health: () => Promise.reject(new Error('no pulse')) }
  const fine = createMemoryAgentSource('fine')
  await fine.createAgent({ name: 'Ada' })
  for (const source of [broken, mute, fine]) registry.register(source)
  const { records, statuses } = await readFleet(registry)
  expect(records).toHaveLength(1)
  expect(statuses).toMatchObject([
    { sourceId: 'broken', trouble: 'broken', detail: 'disk on fire' },
    { sourceId: 'mute', trouble: 'broken', detail: 'no pulse' },
    { sourceId: 'fine', trouble: 'none' },
  ])
})
