import type { LimitTripped, RuntimeEventBody } from '@clawboo/core/executor'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createRunClock } from './run-bounds.ts'

const event = (body: RuntimeEventBody) => ({ runId: 'r', sessionId: null, ts: 0, seq: 1, ...body })
const words = event({ type: 'status', state: 'notice' })
const asks = event({
  type: 'approval-request',
  approvalId: 'a',
  callId: 'c',
  tool: 'exec',
  action: 'x',
  cwd: '/',
  reason: 'y',
  mayAlwaysAllow: false,
})
const answered = event({ type: 'status', state: 'approval-answered', approvalId: 'a' })

describe('The clock of a run', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())
  const clockFor = (limits: { wallMs: number; idleMs: number }) => {
    const tripped: LimitTripped[] = []
    const clock = createRunClock(limits, (limit) => tripped.push(limit), Date.now)
    return { clock, tripped }
  }

  it('[CV20] a run reaches its deadline once, however busy it is', () => {
    const { clock, tripped } = clockFor({ wallMs: 10_000, idleMs: 2_000 })
    for (let second = 0; second < 15; second++) {
      vi.advanceTimersByTime(1_000)
      clock.event(words)
    }
    expect(tripped).toMatchObject([{ reason: 'time_limit', scope: 'run', figure: 10_000, cap: 10_000 }])
    clock.stop()
  })

  it('[CV21] a run without events reaches its idle limit, but not while it waits for a person', () => {
    const { clock, tripped } = clockFor({ wallMs: 1_000_000, idleMs: 2_000 })
    clock.event(asks)
    vi.advanceTimersByTime(60_000)
    expect(tripped).toEqual([])
    clock.event(answered)
    vi.advanceTimersByTime(1_900)
    expect(tripped).toEqual([])
    vi.advanceTimersByTime(300)
    expect(tripped).toMatchObject([{ reason: 'idle_limit', cap: 2_000 }])
    clock.stop()
  })

  it('[CV56] a run with a running tool is not idle, but still has a deadline', () => {
    const calls = (callId: string) => event({ type: 'tool-call', callId, tool: 'exec', input: {} })
    const results = (callId: string) => event({ type: 'tool-result', callId, tool: 'exec', text: '', isError: false })
    const { clock, tripped } = clockFor({ wallMs: 200_000, idleMs: 2_000 })
    clock.event(calls('one'))
    clock.event(calls('other'))
    vi.advanceTimersByTime(60_000)
    clock.event(results('one'))
    vi.advanceTimersByTime(60_000)
    expect(tripped).toEqual([])
    clock.event(results('other'))
    vi.advanceTimersByTime(2_300)
    expect(tripped).toMatchObject([{ reason: 'idle_limit', cap: 2_000 }])
    clock.stop()
    const late = clockFor({ wallMs: 10_000, idleMs: 2_000 })
    late.clock.event(calls('one'))
    vi.advanceTimersByTime(10_000)
    expect(late.tripped).toMatchObject([{ reason: 'time_limit' }])
    late.clock.stop()
  })

  it('[CV22] the grace period starts with the first call, and a listener that is added after its end runs at once', () => {
    const { clock } = clockFor({ wallMs: 1_000_000, idleMs: 1_000_000 })
    const called: string[] = []
    clock.grace(1_000)
    clock.whenGraceEnds(() => called.push('earlier'))
    vi.advanceTimersByTime(900)
    clock.grace(1_000)
    clock.whenGraceEnds(() => called.push('last'))
    vi.advanceTimersByTime(100)
    expect(called).toEqual(['last'])
    clock.whenGraceEnds(() => called.push('late'))
    expect(called).toEqual(['last', 'late'])
    clock.stop()
    expect(vi.getTimerCount()).toBe(0)
  })
})
