import { createMemoryAgentSource } from '@clawboo/core/contract'
import { type AgentEvent, AgentRegistry, EventQueue } from '@clawboo/core/registry'
import { describe, expect, it } from 'vitest'
import { useRecords } from '../executor/test-records.ts'
import { newAgent } from '../store/contract/agents-contract.ts'
import { testEngines } from '../store/test-stores.ts'
import { followSources } from './open-registry.ts'
import { createSourceRecords } from './source-records.ts'

describe.each(testEngines())('following sources on $engine', ({ createDatabase }) => {
  const records = useRecords(createDatabase)

  it('[RG69] each event of a source is recorded once, and pages receive that record', async () => {
    const { store, record, log, events } = records()[0]!
    const sourceEvents = new EventQueue<AgentEvent>()
    const registry = new AgentRegistry()
    registry.register({
      ...createMemoryAgentSource('far'),
      events: () => sourceEvents.subscribe(),
      stop: async () => sourceEvents.end(),
    })
    for (const id of ['ada', 'bob']) await store.agents.insert(newAgent(id, { sourceId: 'far' }))
    const recordsOf = (sourceId: string) => createSourceRecords(sourceId, store, record)
    const isRunning = (agentId: string) => agentId === 'bob'
    const stop = await followSources({ registry, record, recordsOf, isRunning, log })
    sourceEvents.push({ type: 'connection', sourceId: 'far', state: 'connected' })
    for (const agentId of ['ada', 'ada', 'bob', 'gone'])
      sourceEvents.push({ type: 'agent-status', sourceId: 'far', agentId, status: 'running' })
    sourceEvents.push({ type: 'connection', sourceId: 'far', state: 'reconnecting' })
    await stop()
    expect(await events('source-status')).toHaveLength(2)
    expect(await events('agent-status')).toMatchObject([{ agentId: 'ada', status: 'running' }])
    expect((await store.agents.get('ada'))?.status).toBe('running')
    // This server runs Bob, so its own record of the run counts.
    expect((await store.agents.get('bob'))?.status).not.toBe('running')
  })
})
