import { describe, expect, it, vi } from 'vitest'
import { createRunApprovals } from './run-approvals.ts'
import { createRunEvents } from './run-events.ts'

const question = { tool: 'exec', action: 'rm x', cwd: '/', reason: 'not allowed yet', mayAlwaysAllow: false }
const approvals = () => {
  const runEvents = createRunEvents('run', 's', () => 1)
  const events: { readonly type: string; readonly state?: string; readonly detail?: string }[] = []
  void (async () => {
    for await (const event of runEvents.queue) events.push(event)
  })()
  return { events, subject: createRunApprovals({ events: runEvents, timeoutMs: 1_000 }) }
}

describe('Approvals of a run', () => {
  it('[NR420] a request in an aborted run is denied without asking anyone', async () => {
    const { subject, events } = approvals()
    expect(await subject.ask('c', question, AbortSignal.abort())).toBe('deny')
    expect(events).toEqual([])
  })

  it('[NR421] a request is denied when nobody answers in time or the run is aborted', async () => {
    vi.useFakeTimers()
    try {
      const { subject, events } = approvals()
      const late = subject.ask('c', question, new AbortController().signal)
      await vi.advanceTimersByTimeAsync(1_000)
      expect(await late).toBe('deny')
      expect(subject.answer('run-a1', 'allow-once')).toBe(false)
      const controller = new AbortController()
      const cut = subject.ask('c', question, controller.signal)
      controller.abort()
      expect(await cut).toBe('deny')
      await vi.advanceTimersByTimeAsync(0)
      expect(events.map(({ type, state }) => state ?? type)).toEqual([
        'approval-request',
        'approval-answered',
        'approval-request',
        'approval-answered',
      ])
    } finally {
      vi.useRealTimers()
    }
  })

  it('[NR422] only the first answer counts, and "always allow" is reduced to "allow once" for a broad command', async () => {
    const { subject } = approvals()
    const asked = subject.ask('c', question, new AbortController().signal)
    expect(subject.answer('run-a1', 'allow-always')).toBe(true)
    expect(subject.answer('run-a1', 'deny')).toBe(false)
    expect(await asked).toBe('allow-once')
    const narrow = subject.ask('c', { ...question, mayAlwaysAllow: true }, new AbortController().signal)
    subject.answer('run-a2', 'allow-always')
    expect(await narrow).toBe('allow-always')
  })

  it('[NR423] the request shows the environment variables, because they are part of the command', async () => {
    const { subject, events } = approvals()
    void subject.ask('c', { ...question, env: { LC_ALL: 'C', WORD: 'a "b"' } }, new AbortController().signal)
    await expect.poll(() => events).toMatchObject([{ action: 'LC_ALL="C" WORD="a \\"b\\"" rm x' }])
  })
})
