import { ClawbooError } from '@clawboo/core'
import {
  createMemoryAgentSource,
  createMemoryRuntimeAdapter,
  type DescribedAdapter,
  definitionOf,
  emptyRuntimeState,
  type RuntimeScript,
  scriptPrompt,
} from '@clawboo/core/contract'
import {
  type Capabilities,
  DEFAULT_DAILY_BUDGETS,
  DEFAULT_RUN_LIMITS,
  LazyRuntime,
  type RunEntry,
  type RunLimits,
  SingleConsumerQueue,
} from '@clawboo/core/executor'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { drainRun } from './drain-run.ts'
import { createRunStreams } from './run-streams.ts'
import { NO_RUN_INPUT } from './test-run-inputs.ts'

const ALL: Partial<Capabilities> = { streaming: true, resume: true, steering: true, toolApproval: true }
const GRACE_MS = 15_000

describe('Draining a run', () => {
  afterEach(() => void vi.useRealTimers())
  const memory = (claims = ALL) => createMemoryRuntimeAdapter({ claims, state: emptyRuntimeState() })
  const take = async (
    adapter: DescribedAdapter,
    script: RuntimeScript,
    limits: Partial<RunLimits> = {},
    keep: (entries: readonly RunEntry[]) => Promise<void> = async () => {},
    whenLoaded: () => Promise<void> = async () => {},
  ) => {
    const agent = await createMemoryAgentSource('memory').createAgent({ name: 'Ada' })
    const recorded: RunEntry[] = []
    const approvals: string[] = []
    const delivered: string[] = []
    const running = drainRun(
      {
        runId: 'r1',
        agent,
        runtime: new LazyRuntime({ ...definitionOf(adapter), load: () => whenLoaded().then(() => adapter) }),
        prepareInput: NO_RUN_INPUT,
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
        async keep(entries) {
          recorded.push(...entries)
          await keep(entries)
        },
        delivered: async (id) => void delivered.push(id),
        cost: async () => {},
        asked: async ({ approvalId }) => void approvals.push(approvalId),
      },
      createRunStreams().open('ada', 'r1'),
    )
    return { running, recorded, approvals, delivered }
  }

  it('[CV13] a run is drained to its end, and its resume point is known even if the runtime reports it late', async () => {
    const { running, recorded, delivered } = await take(memory(), [{ say: 'Hello there' }])
    expect(await running.ended).toMatchObject({
      outcome: 'completed',
      text: 'Hello there',
      undelivered: [],
      resume: 'memory:session-1',
    })
    expect(delivered).toEqual(['p1'])
    expect(recorded.at(-1)).toMatchObject({ type: 'done' })
    expect(recorded).toContainEqual(expect.objectContaining({ type: 'text-delta', text: 'Hello there' }))
  })

  it('[CV14] a run that exceeds its time is ended as stopped by the limit', async () => {
    const { running } = await take(memory(), [{ hang: true }], { wallMs: 60 })
    expect(await running.ended).toMatchObject({
      outcome: 'stopped',
      reason: 'time_limit',
      limit: { reason: 'time_limit', cap: 60 },
    })
  })

  it('[CV15] a run without events is ended by the idle limit, but a run that waits for a person is not', async () => {
    const silent = await take(memory(), [{ hang: true }], { idleMs: 60 })
    expect(await silent.running.ended).toMatchObject({ outcome: 'stopped', reason: 'idle_limit' })
    const asking = await take(memory(), [{ askApproval: 'dig' }, { say: 'dug' }], { idleMs: 100 })
    let ended = false
    void asking.running.ended.then(() => {
      ended = true
    })
    while (asking.approvals.length === 0) await new Promise(setImmediate)
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(ended).toBe(false)
    expect(await asking.running.answerApproval(asking.approvals[0]!, 'allow-once')).toBe(true)
    expect(await asking.running.ended).toMatchObject({ outcome: 'completed' })
  })

  it('[CV56] a run continues while its tool works without events for longer than the idle limit', async () => {
    const state = emptyRuntimeState()
    const adapter = createMemoryRuntimeAdapter({ claims: ALL, state })
    const { running, recorded } = await take(adapter, [{ callTool: 'held' }, { say: 'held' }], { idleMs: 100 })
    while (!recorded.some(({ type }) => type === 'tool-call')) await new Promise(setImmediate)
    await new Promise((resolve) => setTimeout(resolve, 300))
    state.release.resolve()
    expect(await running.ended).toMatchObject({ outcome: 'completed', text: 'held' })
  })

  it('[CV16] a run that its runtime does not end on request is abandoned after the grace period, with the requested end', async () => {
    vi.useFakeTimers()
    const adapter = { ...memory(), abort: () => new Promise<void>(() => {}) }
    const { running, recorded } = await take(adapter, [{ hang: true }])
    await vi.advanceTimersByTimeAsync(10)
    running.stop('aborted_by_person')
    await vi.advanceTimersByTimeAsync(GRACE_MS)
    expect(await running.ended).toMatchObject({ outcome: 'aborted', reason: 'aborted_by_person' })
    expect(recorded.at(-1)).toMatchObject({ type: 'done', outcome: 'aborted' })
    expect(await running.steer({ id: 's', text: 's' })).toEqual({ accepted: false, reason: 'no_active_run' })
  })

  it('[CV17] a run has failed when its event stream stops without an end event or its runtime dies', async () => {
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
    const { running, recorded } = await take(silent, [{ hang: true }])
    expect(await running.ended).toMatchObject({ outcome: 'failed', reason: 'process_died', isFinal: false })
    expect(recorded.at(-1)).toMatchObject({ type: 'error', fatal: true })
    const dying = memory()
    const other = await take(dying, [{ hang: true }])
    while (other.delivered.length === 0) await new Promise(setImmediate)
    await dying.crash()
    expect(await other.running.ended).toMatchObject({ outcome: 'failed', reason: 'process_died' })
  })

  it('[CV18] a refused start is final unless a retry may succeed, and its prompt is returned', async () => {
    const refusing = (error: Error) => ({ ...memory(), start: () => Promise.reject(error) })
    const ends = await Promise.all(
      [
        new Error('no program'),
        new ClawbooError('model_unknown', 'no such model'),
        new ClawbooError('agent_busy', 'busy'),
      ].map(async (error) => (await take(refusing(error), [])).running.ended),
    )
    expect(ends.map(({ reason, isFinal, undelivered }) => [reason, isFinal, undelivered])).toEqual([
      ['start_failed', false, ['p1']],
      ['model_unknown', true, ['p1']],
      ['start_failed', false, ['p1']],
    ])
  })

  it('[CV19] a start that hangs is abandoned when the run is stopped, and a run that starts late is aborted', async () => {
    vi.useFakeTimers()
    const base = memory()
    const aborted: string[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    const adapter: DescribedAdapter = {
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
    const { running } = await take(adapter, [{ hang: true }])
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

  it('[CV19] a run that was abandoned while its runtime loaded is never started', async () => {
    vi.useFakeTimers()
    const base = memory()
    const started: string[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    const adapter: DescribedAdapter = {
      ...base,
      async start(task, options) {
        started.push(options.runId)
        return base.start(task, options)
      },
    }
    const { running } = await take(adapter, [{ say: 'Hello' }], {}, undefined, () => promise)
    running.stop('aborted_by_person')
    await vi.advanceTimersByTimeAsync(GRACE_MS)
    expect(await running.ended).toMatchObject({ outcome: 'aborted', undelivered: ['p1'] })
    resolve()
    await vi.advanceTimersByTimeAsync(10)
    expect(started).toEqual([])
  })

  it('[CV37] a run whose events cannot be stored is aborted, so that it calls no model unseen', async () => {
    const adapter = memory({ ...ALL, asksBeforeModelCall: true })
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
    const { running } = await take(watched, [{ say: 'Hello' }], {}, broken)
    expect(await running.ended).toMatchObject({ outcome: 'failed', detail: 'the disk is full' })
    expect(aborted).toEqual(['r1'])
  })
})
