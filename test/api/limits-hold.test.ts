import { setTimeout as pause } from 'node:timers/promises'
import type { RunRecord } from '@clawboo/core/executor'
import { type ScriptStep, scriptPrompt } from '@clawboo/scripted-model'
import { type ScriptedModel, startScriptedModel } from '@clawboo/scripted-model/http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { removeHome, type ServerProcess, startServer } from '../server-process.ts'

const AGENTS = 20
/** A call with this many tokens costs two cents at the assumed price below. */
const TOKENS_A_CALL = 2_000
const USD_A_CALL = 0.02
const CEILING = { unknownPriceUsdPerMillionTokens: 10 }
const DEFAULTS = { modelCalls: 100, tokens: 4_000_000, usd: 5, wallMs: 7_200_000, idleMs: 600_000, ...CEILING }
const PLENTY = { agentUsd: 1_000, teamUsd: 1_000, serverUsd: 1_000 }

describe('Limits', () => {
  let server: ServerProcess
  let model: ScriptedModel
  beforeAll(async () => {
    model = await startScriptedModel()
    server = await startServer()
    // A model at the loopback name counts as free, but this model must have no known price.
    const baseUrl = `http://0.0.0.0:${model.port}/v1`
    const body = { label: 'Scripted', baseUrl, models: [{ id: 'boo' }] }
    await server.client.saveProvider({ params: { providerId: 'scripted' }, body })
    await server.client.setModelDefaults({ body: { defaultModel: 'scripted/boo' } })
  })
  afterAll(async () => {
    await server.stop()
    await model.close()
    await removeHome(server.home)
  })

  const usage = { usage: { input: TOKENS_A_CALL - 100, output: 100 } }
  const writes = (count: number, more: readonly ScriptStep[] = []): ScriptStep[][] =>
    Array.from({ length: count }, (_, at) => [
      usage,
      ...more,
      { callTool: 'write', with: { path: `n${at}.txt`, content: `${at}` } },
    ])
  const makeAgent = async (name: string) => (await server.client.createAgent({ body: { name } })).id
  const say = (agentId: string, script: readonly (readonly ScriptStep[])[]) =>
    server.client.sendMessage({ params: { agentId }, body: { text: scriptPrompt(script) } })
  const endOf = async (agentId: string): Promise<RunRecord> => {
    for (;;) {
      const { runs } = await server.client.listRuns({ query: { agentId, limit: 1 } })
      if (runs[0]?.state === 'ended') return runs[0]
      await pause(20)
    }
  }
  const itemsOf = async (runId: string) => {
    const { items } = await server.client.listAttention({ query: { state: 'open', limit: 200 } })
    return items.filter((item) => item.runId === runId)
  }

  test('[CV40] 20 concurrent runs exceed a budget of 0.50 USD by at most one model call each', async () => {
    await server.client.setLimits({ body: { run: DEFAULTS, daily: { ...PLENTY, serverUsd: 0.5 } } })
    const agents = await Promise.all(Array.from({ length: AGENTS }, (_, at) => makeAgent(`Boo ${at}`)))
    await Promise.all(agents.map((agentId) => say(agentId, writes(10, [{ wait: 20 }]))))
    const runs = await Promise.all(agents.map(endOf))
    const { spentToday } = await server.client.getLimits({})
    const calls = runs.reduce((sum, run) => sum + run.modelCalls, 0)
    expect(spentToday.serverUsd).toBeCloseTo(calls * USD_A_CALL)
    expect(spentToday.serverUsd).toBeGreaterThanOrEqual(0.5)
    expect(spentToday.serverUsd).toBeLessThanOrEqual(0.5 + AGENTS * USD_A_CALL)
    expect(model.requests.filter(({ method }) => method === 'POST').length).toBe(calls)
    for (const run of runs) {
      expect(run).toMatchObject({ outcome: 'stopped', reason: 'usd_limit' })
      expect(run.detail).toMatch(/usd of this server: 0\.\d+ of 0\.5/)
      expect(await itemsOf(run.id)).toMatchObject([{ kind: 'limit', detail: run.detail }])
    }
  })

  test('[CV41] a run stops itself before 40 equal tool calls, reports why and notifies a person', async () => {
    await server.client.setLimits({ body: { run: DEFAULTS, daily: PLENTY } })
    const agentId = await makeAgent('Again')
    const same = [usage, { callTool: 'write', with: { path: 'same.txt', content: 'same' } }]
    await say(agentId, Array(40).fill(same))
    const run = await endOf(agentId)
    expect(run).toMatchObject({ outcome: 'stopped', reason: 'repeat_limit' })
    expect(run.modelCalls).toBe(20)
    expect(run.detail).toBe('the same calls with the same results, 20 times')
    expect(await itemsOf(run.id)).toMatchObject([{ kind: 'limit', agentId, detail: run.detail }])
  })

  test('[CV42] the limits on model calls, tokens and dollars are exact to the call', async () => {
    const agentId = await makeAgent('Capped')
    const caps = [
      [{ modelCalls: 3 }, 'model_calls_limit', 3],
      [{ tokens: TOKENS_A_CALL * 2 + 1 }, 'tokens_limit', 3],
      [{ usd: USD_A_CALL * 4 }, 'usd_limit', 4],
    ] as const
    for (const [cap, reason, calls] of caps) {
      await server.client.setLimits({ body: { run: { ...DEFAULTS, ...cap }, daily: PLENTY } })
      await say(agentId, writes(8))
      expect(await endOf(agentId)).toMatchObject({ outcome: 'stopped', reason, modelCalls: calls })
    }
  })

  test('[CV43] ends a run that is over its time or silent for too long, and notifies a person', async () => {
    const agentId = await makeAgent('Late')
    const caps = [
      [{ wallMs: 1_000 }, 'time_limit'],
      [{ idleMs: 1_000 }, 'idle_limit'],
    ] as const
    for (const [cap, reason] of caps) {
      await server.client.setLimits({ body: { run: { ...DEFAULTS, ...cap }, daily: PLENTY } })
      await say(agentId, [[{ stall: true }]])
      const run = await endOf(agentId)
      expect(run).toMatchObject({ outcome: 'stopped', reason })
      expect(await itemsOf(run.id)).toMatchObject([{ kind: 'limit' }])
    }
    await server.client.setLimits({ body: { run: DEFAULTS, daily: PLENTY } })
    await say(agentId, [[{ say: 'Well again.' }]])
    expect(await endOf(agentId)).toMatchObject({ outcome: 'completed', text: 'Well again.' })
  })
})
