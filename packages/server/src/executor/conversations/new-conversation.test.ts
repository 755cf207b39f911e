import { setTimeout as pause } from 'node:timers/promises'
import { scriptPrompt } from '@clawboo/scripted-model'
import { expect, test } from 'vitest'
import { followFeed } from '../../../../../test/api/feed-reader.ts'
import { describeServer } from '../../../../../test/engines.ts'

describeServer('A new conversation', (server, restart) => {
  const api = () => server().client
  const makeAgent = (name: string) => api().createAgent({ body: { name, execConfig: { model: 'demo/boo' } } })
  const say = async (agentId: string, text: string, sessionKey?: string) => {
    const { runId } = await api().sendMessage({
      params: { agentId },
      body: { text: scriptPrompt([{ say: text }]), sessionKey },
    })
    for (;;) {
      const { run } = await api().getRun({ params: { runId: runId! } })
      if (run.state === 'ended') return run
      await pause(20)
    }
  }
  const readStart = async (agentId: string, session?: string) =>
    (await api().readConversation({ params: { agentId }, query: { session } })).begunAnew

  test('[RU70] readers see when and after which run a conversation started over, even after a restart', async () => {
    const { id: agentId } = await makeAgent('Ada')
    const run = await say(agentId, 'hello')
    expect(await readStart(agentId)).toBeNull()
    const reader = await followFeed(server())
    await reader.waitFor((frame) => frame.event === 'feed-ready')
    await api().resetConversation({ params: { agentId }, body: {} })
    await reader.waitFor((frame) => frame.event === 'conversation-changed')
    reader.close()
    const stored = await readStart(agentId)
    expect(stored).toEqual({ at: expect.any(Number), afterRunId: run.id })
    expect(stored!.at).toBeGreaterThanOrEqual(run.endedAt!)
    await restart('kill')
    expect(await readStart(agentId)).toEqual(stored)
    const next = await say(agentId, 'hello again')
    expect(next.outcome).toBe('completed')
    expect(await readStart(agentId)).toEqual(stored)
    const older = await api().readConversation({ params: { agentId }, query: { before: next.id, limit: 1 } })
    expect([older.runs.map((detail) => detail.run.id), older.begunAnew]).toEqual([[run.id], stored])
    await api().resetConversation({ params: { agentId }, body: {} })
    expect((await readStart(agentId))?.afterRunId).toBe(next.id)
  })

  test('[RU71] each conversation has its own start, which is deleted with its agent', async () => {
    const { id: agentId } = await makeAgent('Bob')
    await say(agentId, 'hello', 'one')
    await api().resetConversation({ params: { agentId }, body: { sessionKey: 'two' } })
    expect(await readStart(agentId, 'one')).toBeNull()
    expect(await readStart(agentId, 'two')).toEqual({ at: expect.any(Number), afterRunId: null })
    await api().deleteAgent({ params: { agentId } })
    await expect(readStart(agentId, 'two')).rejects.toMatchObject({ code: 'agent_not_found' })
  })

  test('[CV52] messages and resets at the same time cause no failed run', async () => {
    const { id: agentId } = await makeAgent('Cyd')
    for (let round = 0; round < 10; round++) {
      const reset = api()
        .resetConversation({ params: { agentId }, body: {} })
        .catch((error: { code: string }) => error.code)
      const [run] = await Promise.all([say(agentId, `hello ${round}`), reset])
      expect(run, JSON.stringify(run)).toMatchObject({ outcome: 'completed' })
      expect([undefined, 'agent_busy']).toContain(await reset)
    }
  })
})
