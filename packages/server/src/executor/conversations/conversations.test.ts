import { ClawbooError } from '@clawboo/core'
import type { DescribedAdapter } from '@clawboo/core/contract'
import type { Capabilities } from '@clawboo/core/executor'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { newAgent } from '../../store/contract/agents-contract.ts'
import { createSqliteDatabase } from '../../store/test-stores.ts'
import { useRecords } from '../test-records.ts'
import { memoryRuntime, startConversations } from './test-conversations.ts'

describe('Conversations across crashes', () => {
  const records = useRecords(createSqliteDatabase)
  afterEach(() => void vi.useRealTimers())
  const startServer = (adapter: DescribedAdapter) => startConversations(records()[0]!, adapter)
  const makeAgent = (id: string) => records()[0]!.store.agents.insert(newAgent(id, { runtime: 'memory' }))
  const stateOf = async (id: string) => (await records()[0]!.store.messages.get(id))?.state
  const whenDelivered = async (...ids: string[]) => {
    for (const id of ids) while ((await stateOf(id)) !== 'delivered') await vi.advanceTimersByTimeAsync(100)
  }
  const itemsOf = async (agentId: string) =>
    (await records()[0]!.store.attention.list({ state: 'open', limit: 50 })).filter((item) => item.agentId === agentId)
  const settled = () => vi.advanceTimersByTimeAsync(600)
  const hanging = (claims?: Partial<Capabilities>) => ({
    ...memoryRuntime(claims),
    start: () => new Promise<never>(() => {}),
  })

  it('[CV44] a message whose third attempt at delivery is cut off by a crash is reported, and a person can send it again', async () => {
    vi.useFakeTimers()
    await makeAgent('ada')
    const first = await startServer(hanging())
    await first.conversations.send({ agentId: 'ada', id: 'message-1', text: 'hello' })
    for (let crash = 0; crash < 2; crash++) {
      await startServer(hanging())
      await settled()
      expect(await stateOf('message-1')).toBe('delivering')
    }
    const { attention } = await startServer(memoryRuntime())
    await settled()
    expect(await stateOf('message-1')).toBe('failed')
    const [item] = await itemsOf('ada')
    expect(item).toMatchObject({ kind: 'message', subjectId: 'message-1', answers: ['retry', 'dismiss'] })
    expect(item!.detail).toContain('the server stopped during attempt 3 to deliver it')
    await attention.answer(item!.id, 'retry')
    await whenDelivered('message-1')
  })

  it('[CV45] when a batch is given up, each message is reported and can be sent again', async () => {
    vi.useFakeTimers()
    await makeAgent('bob')
    const adapter = memoryRuntime()
    let refuses = false
    const { conversations, attention } = await startServer({
      ...adapter,
      start: (task, options) =>
        refuses ? Promise.reject(new ClawbooError('model_unknown', 'no such model')) : adapter.start(task, options),
    })
    const send = (id: string, text: string) =>
      conversations.send({ agentId: 'bob', id, text, mode: 'collect', sessionKey: 'main' })
    await send('bob-1', 'Play this script: [{"callTool":"held"}]')
    await settled()
    refuses = true
    for (const id of ['bob-2', 'bob-3']) await send(id, id)
    await conversations.stop('bob', { sessionKey: 'main' })
    await settled()
    expect([await stateOf('bob-2'), await stateOf('bob-3')]).toEqual(['failed', 'failed'])
    const items = await itemsOf('bob')
    expect(items.map(({ subjectId }) => subjectId).sort()).toEqual(['bob-2', 'bob-3'])
    refuses = false
    for (const item of items) await attention.answer(item.id, 'retry')
    await whenDelivered('bob-2', 'bob-3')
  })

  it('[CV49] a message that one run returned is stored with the run that delivered it', async () => {
    vi.useFakeTimers()
    await makeAgent('kay')
    const { conversations } = await startServer(memoryRuntime())
    const held = await conversations.send({
      agentId: 'kay',
      id: 'kay-1',
      text: 'Play this script: [{"callTool":"held"}]',
    })
    await settled()
    const steered = await conversations.send({ agentId: 'kay', id: 'kay-2', text: 'and this' })
    expect(steered).toMatchObject({ verdict: 'steered', runId: held.runId })
    await conversations.stop('kay', {})
    await whenDelivered('kay-2')
    const { runId } = (await records()[0]!.store.messages.get('kay-2'))!
    expect(runId).not.toBe(held.runId)
    expect(await records()[0]!.store.runs.get(runId!)).toMatchObject({ prompt: 'and this' })
  })

  it('[CV46] when it is unknown whether a message arrived, a person decides, and it is not sent twice', async () => {
    vi.useFakeTimers()
    await makeAgent('eve')
    const oneShot = { streaming: true }
    const first = await startServer(hanging(oneShot))
    await first.conversations.send({ agentId: 'eve', id: 'eve-1', text: 'hello' })
    await first.conversations.send({ agentId: 'eve', id: 'eve-2', text: 'and' })
    await startServer(memoryRuntime(oneShot))
    await whenDelivered('eve-2')
    expect(await stateOf('eve-1')).toBe('uncertain')
    expect(await itemsOf('eve')).toMatchObject([{ kind: 'message', subjectId: 'eve-1' }])
  })

  it('[CV47] more waiting messages than the cap are all delivered after a restart', async () => {
    vi.useFakeTimers()
    await makeAgent('max')
    const first = await startServer(hanging())
    const ids = Array.from({ length: 26 }, (_, at) => `max-${String(at).padStart(2, '0')}`)
    const settings = { cap: 50, debounceMs: 0 }
    await first.conversations.change('max', settings)
    for (const id of ids) await first.conversations.send({ agentId: 'max', id, text: id, mode: 'followup' })
    await startServer(memoryRuntime())
    await whenDelivered(...ids)
    expect((await records()[0]!.store.messages.list('max', { limit: 50 })).map(({ state }) => state)).toEqual(
      ids.map(() => 'delivered'),
    )
  })

  it('[CV48] a message that is sent while the server stops waits for the next start', async () => {
    vi.useFakeTimers()
    await makeAgent('zoe')
    const { conversations } = await startServer(memoryRuntime())
    const sending = conversations.send({ agentId: 'zoe', id: 'zoe-1', text: 'hello' })
    await conversations.close()
    expect((await sending).verdict).toBe('queued')
    await settled()
    expect(await stateOf('zoe-1')).toBe('queued')
    expect(() => conversations.send({ agentId: 'zoe', id: 'zoe-2', text: 'late' })).toThrow(/stopping/)
    await startServer(memoryRuntime())
    await whenDelivered('zoe-1')
  })
})
