import {
  catalogueOf,
  createMemoryAgentSource,
  type DescribedAdapter,
  emptyRuntimeState,
  emptyUpstream,
} from '@clawboo/core/contract'
import { RuntimeRegistry } from '@clawboo/core/executor'
import { AgentRegistry } from '@clawboo/core/registry'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createAgents } from '../../registry/agents.ts'
import { createSourceRecords } from '../../registry/source-records.ts'
import { newAgent } from '../../store/contract/agents-contract.ts'
import { createSqliteDatabase } from '../../store/test-stores.ts'
import { useRecords } from '../test-records.ts'
import type { Conversations } from './conversations.ts'
import { HELD, memoryRuntime, startConversations } from './test-conversations.ts'

const FREE = 'Play this script: [{"say":"done"}]'

describe('A conversation among other changes', () => {
  const records = useRecords(createSqliteDatabase)
  afterEach(() => void vi.useRealTimers())
  const makeAgent = (id: string) => records()[0]!.store.agents.insert(newAgent(id, { runtime: 'memory' }))
  const messageOf = (id: string) => records()[0]!.store.messages.get(id)
  const stateOf = async (id: string) => (await messageOf(id))?.state
  const settled = () => vi.advanceTimersByTimeAsync(600)
  const whenDelivered = async (...ids: string[]) => {
    for (const id of ids) while ((await stateOf(id)) !== 'delivered') await vi.advanceTimersByTimeAsync(100)
  }
  const runsOf = (agentId: string) => records()[0]!.store.runs.list({ agentId, limit: 50 })

  /** Agents whose source can lose its upstream, so that a removal fails. */
  const agentsOf = async (conversations: Conversations, names: readonly string[]) => {
    const { store, record } = records()[0]!
    const upstream = emptyUpstream()
    const source = createMemoryAgentSource('memory', upstream)
    const registry = new AgentRegistry()
    registry.register(source)
    const ids: string[] = []
    for (const name of names) {
      const { id } = await source.createAgent({ name })
      await store.agents.insert(newAgent(id, { sourceId: 'memory', runtime: 'memory' }))
      ids.push(id)
    }
    const runtimes = new RuntimeRegistry()
    runtimes.follow(catalogueOf(memoryRuntime()))
    const agents = createAgents({
      store,
      registry,
      recordsOf: (sourceId) => createSourceRecords(sourceId, store, record),
      runtimes,
      beforeRemove: (id) => conversations.forget(id),
    })
    return { agents, upstream, ids }
  }

  it('[CV50] a failed removal changes no message, and every message is delivered', async () => {
    vi.useFakeTimers()
    const adapter = memoryRuntime()
    let hangs = true
    const { conversations } = await startConversations(records()[0]!, {
      ...adapter,
      start: (task, options) => (hangs ? new Promise<never>(() => {}) : adapter.start(task, options)),
    })
    const { agents, upstream, ids } = await agentsOf(conversations, ['Ada'])
    const agentId = ids[0]!
    await conversations.send({ agentId, id: 'under-way', text: FREE })
    await conversations.send({ agentId, id: 'waits-1', text: FREE, mode: 'followup' })
    await conversations.send({ agentId, id: 'waits-2', text: FREE, sessionKey: 'elsewhere' })
    upstream.connected = false
    const removing = agents.remove(agentId).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(20_000)
    expect(await removing).toMatchObject({ code: 'upstream_disconnected' })
    hangs = false
    await whenDelivered('under-way', 'waits-1', 'waits-2')
    const answered = (await runsOf(agentId)).filter(({ outcome }) => outcome === 'completed')
    expect(answered).toHaveLength(3)
  })

  it('[CV51] nothing starts while an agent is being removed; a message sent meanwhile waits', async () => {
    vi.useFakeTimers()
    const { conversations } = await startConversations(records()[0]!, memoryRuntime())
    await makeAgent('bea')
    const afterFailure = await conversations.forget('bea')
    const send = (id: string, sessionKey?: string) =>
      conversations.send({ agentId: 'bea', id, text: FREE, ...(sessionKey ? { sessionKey } : {}) })
    expect((await send('meanwhile-1')).verdict).toBe('queued')
    expect((await send('meanwhile-2', 'elsewhere')).verdict).toBe('queued')
    const second = await conversations.forget('bea')
    await afterFailure()
    await settled()
    expect(await runsOf('bea')).toEqual([])
    await second()
    await whenDelivered('meanwhile-1', 'meanwhile-2')
    const afterSuccess = await conversations.forget('bea')
    await send('meanwhile-3')
    await records()[0]!.store.agents.remove('source-a', 'bea')
    await afterSuccess()
    await settled()
    await expect(send('meanwhile-4')).rejects.toMatchObject({ code: 'agent_not_found' })
  })

  it('[CV52] a message after a reset belongs to the new conversation, and its run does not fail', async () => {
    vi.useFakeTimers()
    await makeAgent('cyd')
    const state = emptyRuntimeState()
    const adapter = memoryRuntime(undefined, state)
    const gate = Promise.withResolvers<void>()
    const order: string[] = []
    const watched: DescribedAdapter = {
      ...adapter,
      async resetSession(agent, sessionKey) {
        await gate.promise
        await adapter.resetSession!(agent, sessionKey)
        order.push('reset')
      },
      start(task, options) {
        order.push(`start ${task.prompt.id}`)
        return adapter.start(task, options)
      },
    }
    const { conversations } = await startConversations(records()[0]!, watched)
    await conversations.send({ agentId: 'cyd', id: 'before-it', text: FREE })
    await whenDelivered('before-it')
    await settled()
    const resetting = conversations.reset('cyd')
    await settled()
    const sending = conversations.send({ agentId: 'cyd', id: 'behind-it', text: FREE })
    await settled()
    expect(order).toEqual(['start before-it'])
    gate.resolve()
    await resetting
    await sending
    await whenDelivered('behind-it')
    expect(order).toEqual(['start before-it', 'reset', 'start behind-it'])
    expect((await runsOf('cyd')).map(({ outcome }) => outcome)).not.toContain('failed')
    const sessions = [...state.sessions.values()].filter(({ agentId }) => agentId === 'cyd')
    expect(sessions.map(({ promptIds }) => [...promptIds])).toEqual([['before-it'], ['behind-it']])
  })

  it('[CV52] a reset is refused while a run is starting, and the run completes', async () => {
    vi.useFakeTimers()
    await makeAgent('dot')
    const reached = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    const { conversations } = await startConversations(records()[0]!, memoryRuntime(), {
      limits: (limits) => ({
        ...limits,
        async read() {
          reached.resolve()
          await gate.promise
          return limits.read()
        },
      }),
    })
    const sending = conversations.send({ agentId: 'dot', id: 'first-one', text: HELD })
    await reached.promise
    const resetting = conversations.reset('dot').catch((error: unknown) => error)
    await settled()
    gate.resolve()
    expect((await sending).verdict).toBe('started')
    expect(await resetting).toMatchObject({ code: 'agent_busy' })
    await whenDelivered('first-one')
    expect(await conversations.read('dot', { limit: 5 })).toMatchObject({ begunAnew: null })
    await conversations.stop('dot', {})
  })

  it('[CV53] a reset withdraws the waiting messages of its conversation, with the reason, and no others', async () => {
    vi.useFakeTimers()
    await makeAgent('eli')
    const { conversations } = await startConversations(records()[0]!, memoryRuntime())
    const send = (id: string, sessionKey: string, text = FREE) =>
      conversations.send({ agentId: 'eli', id, sessionKey, text })
    await send('at-work', 'one', HELD)
    await settled()
    await send('waits-two', 'two')
    await send('waits-three', 'three')
    await conversations.reset('eli', 'two')
    const reason = 'a new conversation started before the message was delivered'
    expect(await messageOf('waits-two')).toMatchObject({ state: 'withdrawn', reason })
    expect((await records()[0]!.events('message-changed')).at(-1)?.message).toMatchObject({
      id: 'waits-two',
      state: 'withdrawn',
    })
    await conversations.stop('eli', { sessionKey: 'one' })
    await whenDelivered('waits-three')
    await send('after-reset', 'two')
    await whenDelivered('after-reset')
    expect(await stateOf('waits-two')).toBe('withdrawn')
  })

  it('[CV54] a failed reset withdraws nothing', async () => {
    vi.useFakeTimers()
    await makeAgent('fay')
    const adapter = memoryRuntime()
    const { conversations } = await startConversations(records()[0]!, {
      ...adapter,
      resetSession: () => Promise.reject(new Error('the disk is full')),
    })
    await conversations.send({ agentId: 'fay', id: 'fay-at-work', sessionKey: 'one', text: HELD })
    await settled()
    await conversations.send({ agentId: 'fay', id: 'fay-waits', sessionKey: 'two', text: FREE })
    await expect(conversations.reset('fay', 'two')).rejects.toThrow('the disk is full')
    expect(await stateOf('fay-waits')).toBe('queued')
    expect(await conversations.read('fay', { sessionKey: 'two', limit: 5 })).toMatchObject({ begunAnew: null })
    await conversations.stop('fay', { sessionKey: 'one' })
    await whenDelivered('fay-waits')
  })

  it('[CV58] an interrupt in another conversation of a busy agent waits, and ends nothing', async () => {
    vi.useFakeTimers()
    await makeAgent('gus')
    const state = emptyRuntimeState()
    const { conversations } = await startConversations(records()[0]!, memoryRuntime(undefined, state))
    const first = await conversations.send({ agentId: 'gus', id: 'gus-at-work', sessionKey: 'one', text: HELD })
    await settled()
    const urgent = { agentId: 'gus', id: 'gus-urgent', sessionKey: 'two', text: FREE, mode: 'interrupt' } as const
    expect(await conversations.send(urgent)).toMatchObject({ verdict: 'queued', runId: null })
    // Sending the same id again returns the same outcome.
    expect(await conversations.send(urgent)).toMatchObject({ verdict: 'queued' })
    await settled()
    expect((await records()[0]!.store.runs.get(first.runId!))?.state).toBe('running')
    state.release.resolve()
    await whenDelivered('gus-at-work', 'gus-urgent')
    expect((await runsOf('gus')).map(({ outcome }) => outcome)).not.toContain('aborted')
  })

  it('[CV57] a delivery that could not be stored is stored when the run ends, and nothing is sent twice', async () => {
    vi.useFakeTimers()
    await makeAgent('hal')
    let failures = 0
    const adapter = memoryRuntime()
    const prompts: string[] = []
    const watched: DescribedAdapter = {
      ...adapter,
      start(task, options) {
        prompts.push(task.prompt.id)
        return adapter.start(task, options)
      },
    }
    const { conversations } = await startConversations(records()[0]!, watched, {
      record: (record) => (about, work) =>
        record(about, async (tx) => {
          const done = await work(tx)
          const notes = done.events.some(
            (event) => event.type === 'message-changed' && event.message.state === 'delivered',
          )
          if (!notes || failures > 0) return done
          failures += 1
          throw new Error('the database went away')
        }),
    })
    await conversations.send({ agentId: 'hal', id: 'hal-1', text: 'Play this script: [{"wait":50},{"say":"done"}]' })
    while ((await runsOf('hal'))[0]?.state !== 'ended') await settled()
    expect([failures, await stateOf('hal-1')]).toEqual([1, 'delivered'])
    await conversations.send({ agentId: 'hal', id: 'hal-2', text: FREE })
    await whenDelivered('hal-2')
    await settled()
    expect(prompts).toEqual(['hal-1', 'hal-2'])
    expect((await runsOf('hal')).map(({ outcome }) => outcome)).toEqual(['completed', 'completed'])
    expect((await messageOf('hal-1'))?.reason).toBeNull()
  })
})
