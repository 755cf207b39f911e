import { describe, expect, it, vi } from 'vitest'
import { createRunApprovals } from './run-approvals.ts'
import { createRunEvents } from './run-events.ts'

const question = { tool: 'exec', action: 'rm x', cwd: '/', reason: 'not allowed yet', mayAlwaysAllow: false }
const approvals = () => {
  const events = createRunEvents('run', 's', () => 1)
  const told: { readonly type: string; readonly state?: string; readonly detail?: string }[] = []
  void (async () => {
    for await (const event of events.queue) told.push(event)
  })()
  return { told, subject: createRunApprovals({ events, timeoutMs: 1_000 }) }
}

describe('Approvals of a run', () => {
  it('[NR420] in a run that was aborted the answer is no, and nobody is asked', async () => {
    const { subject, told } = approvals()
    expect(await subject.ask('c', question, AbortSignal.abort())).toBe('deny')
    expect(told).toEqual([])
  })

  it('[NR421] a question that nobody answers in time, or whose run is aborted, is denied', async () => {
    vi.useFakeTimers()
    try {
      const { subject, told } = approvals()
      const late = subject.ask('c', question, new AbortController().signal)
      await vi.advanceTimersByTimeAsync(1_000)
      expect(await late).toBe('deny')
      expect(subject.answer('run-a1', 'allow-once')).toBe(false)
      const controller = new AbortController()
      const cut = subject.ask('c', question, controller.signal)
      controller.abort()
      expect(await cut).toBe('deny')
      await vi.advanceTimersByTimeAsync(0)
      expect(told.map(({ type, state }) => state ?? type)).toEqual([
        'approval-request',
        'approval-answered',
        'approval-request',
        'approval-answered',
      ])
    } finally {
      vi.useRealTimers()
    }
  })

  it('[NR422] an answer counts once, and nothing too wide is allowed for good', async () => {
    const { subject } = approvals()
    const asked = subject.ask('c', question, new AbortController().signal)
    expect(subject.answer('run-a1', 'allow-always')).toBe(true)
    expect(subject.answer('run-a1', 'deny')).toBe(false)
    expect(await asked).toBe('allow-once')
    const narrow = subject.ask('c', { ...question, mayAlwaysAllow: true }, new AbortController().signal)
    subject.answer('run-a2', 'allow-always')
    expect(await narrow).toBe('allow-always')
  })

  it('[NR423] the question shows the variables that would be set, because they are part of what runs', async () => {
    const { subject, told } = approvals()
    void subject.ask('c', { ...question, env: { LC_ALL: 'C', WORD: 'a "b"' } }, new AbortController().signal)
    await expect.poll(() => told).toMatchObject([{ action: 'LC_ALL="C" WORD="a \\"b\\"" rm x' }])
  })
})
