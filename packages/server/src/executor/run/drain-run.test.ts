import { ClawbooError } from '@clawboo/core'
import {
  createMemoryAgentSource,
  createMemoryRuntimeAdapter,
  emptyRuntimeState,
  type RuntimeScript,
  scriptPrompt,
} from '@clawboo/core/contract'
import {
  type Capabilities,
  DEFAULT_DAILY_BUDGETS,
  DEFAULT_RUN_LIMITS,
  type RunEntry,
  type RunLimits,
  type RuntimeAdapter,
  SingleConsumerQueue,
} from '@clawboo/core/executor'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { drainRun } from './drain-run.ts'
import { createRunStreams } from './run-streams.ts'

const ALL: Partial<Capabilities> = { streaming: true, resume: true, steering: true, toolApproval: true }
const GRACE_MS = 15_000

describe('Draining a run', () => {
  afterEach(() => void vi.useRealTimers())
  const memory = (claims = ALL) => createMemoryRuntimeAdapter({ claims, state: emptyRuntimeState() })
  const drain = async (
    adapter: RuntimeAdapter,
    script: RuntimeScript,
    limits: Partial<RunLimits> = {},
    keep: (entries: readonly RunEntry[]) => Promise<void> = async () => {},
  ) => {
    const agent = await createMemoryAgentSource('memory').createAgent({ name: 'Ada' })
    const entries: RunEntry[] = []
    const asked: string[] = []
    const delivered: string[] = []
    const running = drainRun(
      {
        runId: 'r1',
        agent,
        adapter,
        sessionKey: 'main',
        prompt: { id: 'p1', text: scriptPrompt(script) },
        model: null,
        verbose: null,
        resume: null,
        limits: { ...DEFAULT_RUN_LIMITS, ...limits },
        budgets: DEFAULT_DAILY_BUDGETS,
      },
      {
        spend: { add: async () => {}, today: async () => ({ agentUsd: 0, teamUsd: null, serverUsd: 0 }) },
        async keep(added) {
          entries.push(...added)
          await keep(added)
        },
        delivered: async (id) => void delivered.push(id),
        cost: async () => {},
        asked: async ({ approvalId }) => void asked.push(approvalId),
      },
      createRunStreams().open('ada', 'r1'),
    )
    return { running, entries, asked, delivered }
  }

  it('[CV13] a run is drained to its end, and its resume point is right even if the conversation’s id came late', async () => {
    const { running, entries, delivered } = await drain(memory(), [{ say: 'Hello there' }])
    expect(await running.ended).toMatchObject({
      outcome: 'completed',
      text: 'Hello there',
      undelivered: [],
      resume: 'memory:session-1',
    })
    expect(delivered).toEqual(['p1'])
    expect(entries.at(-1)).toMatchObject({ type: 'done' })
    expect(entries).toContainEqual(expect.objectContaining({ type: 'text-delta', text: 'Hello there' }))
  })

  it('[CV14] a run past its deadline is stopped by the limit', async () => {
    const { running } = await drain(memory(), [{ hang: true }], { wallMs: 60 })
    expect(await running.ended).toMatchObject({
      outcome: 'stopped',
      reason: 'time_limit',
      limit: { reason: 'time_limit', cap: 60 },
    })
  })

  it('[CV15] a run without events is stopped by the idle limit, unless it waits for a person', async () => {
    const silent = await drain(memory(), [{ hang: true }], { idleMs: 60 })
    expect(await silent.running.ended).toMatchObject({ outcome: 'stopped', reason: 'idle_limit' })
    const asking = await drain(memory(), [{ askApproval: 'dig' }, { say: 'dug' }], { idleMs: 100 })
    let ended = false
    void asking.running.ended.then(() => {
      ended = true
    })
    while (asking.asked.length === 0) await new Promise(setImmediate)
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(ended).toBe(false)
    expect(await asking.running.answerApproval(asking.asked[0]!, 'allow-once')).toBe(true)
    expect(await asking.running.ended).toMatchObject({ outcome: 'completed' })
  })

  it('[CV56] a run whose tool takes longer than the idle limit continues', async () => {
    const state = emptyRuntimeState()
    const adapter = createMemoryRuntimeAdapter({ claims: ALL, state })
    const { running, entries } = await drain(adapter, [{ callTool: 'held' }, { say: 'held' }], { idleMs: 100 })
    while (!entries.some(({ type }) => type === 'tool-call')) await new Promise(setImmediate)
    await new Promise((resolve) => setTimeout(resolve, 300))
    state.release.resolve()
    expect(await running.ended).toMatchObject({ outcome: 'completed', text: 'held' })
  })

  it('[CV16] a runtime that does not end an aborted run is given up after the grace period, with the reason of the abort', async () => {
    vi.useFakeTimers()
    const adapter = { ...memory(), abort: () => new Promise<void>(() => {}) }
    const { running, entries } = await drain(adapter, [{ hang: true }])
    await vi.advanceTimersByTimeAsync(10)
    running.stop('aborted_by_person')
    await vi.advanceTimersByTimeAsync(GRACE_MS)
    expect(await running.ended).toMatchObject({ outcome: 'aborted', reason: 'aborted_by_person' })
    expect(entries.at(-1)).toMatchObject({ type: 'done', outcome: 'aborted' })
    expect(await running.steer({ id: 's', text: 's' })).toEqual({ accepted: false, reason: 'no_active_run' })
  })

  it('[CV17] a run fails when its runtime stops without an end event or dies', async () => {
    const base = memory()
    const cut = { ...base, events: () => Object.assign(new SingleConsumerQueue<never>(), { ended: true }) }
    const silent = {
      ...cut,
      events() {
        const queue = new SingleConsumerQueue<never>()
        queue.end()
        return queue
      },
    }
    const { running, entries } = await drain(silent, [{ hang: true }])
    expect(await running.ended).toMatchObject({ outcome: 'failed', reason: 'process_died', isFinal: false })
    expect(entries.at(-1)).toMatchObject({ type: 'error', fatal: true })
    const dying = memory()
    const other = await drain(dying, [{ hang: true }])
    while (other.delivered.length === 0) await new Promise(setImmediate)
    await dying.crash()
    expect(await other.running.ended).toMatchObject({ outcome: 'failed', reason: 'process_died' })
  })

  it('[CV18] a refused start is final unless the error is transient, and its prompt is returned', async () => {
    const refusing = (error: Error) => ({ ...memory(), start: () => Promise.reject(error) })
    const ends = await Promise.all(
      [
        new Error('no program'),
        new ClawbooError('model_unknown', 'no such model'),
        new ClawbooError('agent_busy', 'busy'),
      ].map(async (error) => (await drain(refusing(error), [])).running.ended),
    )
    expect(ends.map(({ reason, isFinal, undelivered }) => [reason, isFinal, undelivered])).toEqual([
      ['start_failed', false, ['p1']],
      ['model_unknown', true, ['p1']],
      ['start_failed', false, ['p1']],
    ])
  })

  it('[CV19] a start that hangs is given up when the run is stopped, and a run that starts late is aborted', async () => {
    vi.useFakeTimers()
    const base = memory()
    const aborted: string[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    const adapter: RuntimeAdapter = {
      ...base,
      async start(task, options) {
        await promise
        return base.start(task, options)
      },
      async abort(run) {
        aborted.push(run.runId)
        await base.abort(run)
      },
    }
    const { running } = await drain(adapter, [{ hang: true }])
    running.stop('aborted_by_person')
    const steered = running.steer({ id: 's1', text: 'and this' })
    await vi.advanceTimersByTimeAsync(GRACE_MS)
    const end = await running.ended
    expect(end).toMatchObject({ outcome: 'aborted', reason: 'aborted_by_person', undelivered: ['p1'] })
    expect(await steered).toMatchObject({ accepted: false })
    resolve()
    await vi.advanceTimersByTimeAsync(10)
    expect(aborted).toEqual(['r1'])
  })

  it('[CV37] a run whose entries cannot be stored is ended, and calls no model unseen', async () => {
    const adapter = memory({ ...ALL, runtimeClass: 'native' })
    const aborted: string[] = []
    const watched = {
      ...adapter,
      async abort(run: { readonly runId: string }) {
        aborted.push(run.runId)
        await adapter.abort({ sessionId: null, ...run })
      },
    }
    const broken = async (entries: readonly RunEntry[]) => {
      if (entries.some(({ type }) => type === 'done')) throw new Error('the disk is full')
    }
    const { running } = await drain(watched, [{ say: 'Hello' }], {}, broken)
    expect(await running.ended).toMatchObject({ outcome: 'failed', detail: 'the disk is full' })
    expect(aborted).toEqual(['r1'])
  })
})
