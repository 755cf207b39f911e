import { expect } from 'vitest'
import { endsRun, type RuntimeEvent } from '../../executor/index.ts'

/** Checks the rules that hold for every run's stream. `accepted`: the prompts that the runtime accepted, in order. */
export function expectLawfulStream(events: readonly RuntimeEvent[], runId: string, accepted: readonly string[]): void {
  expect(events.map((event) => event.runId)).toEqual(events.map(() => runId))
  expect(events.every((event) => Number.isFinite(event.ts))).toBe(true)
  expectRising(events.map((event) => event.seq))
  expect(events.flatMap((event, at) => (endsRun(event) ? [at] : []))).toEqual([events.length - 1])
  expectOneSession(events)
  expectPairedTools(events)
  expectAccountedPrompts(events, accepted)
}

function expectRising(numbers: readonly number[]): void {
  expect(numbers.every(Number.isSafeInteger)).toBe(true)
  expect(numbers.filter((number, at) => at > 0 && number <= numbers[at - 1]!)).toEqual([])
}

/** Checks that the session id is null at first and never changes once set. */
function expectOneSession(events: readonly RuntimeEvent[]): void {
  const told = events.map((event) => event.sessionId)
  const known = told.slice(told.findIndex((id) => id !== null))
  if (told.some((id) => id !== null)) expect(new Set(known).size).toBe(1)
}

function expectPairedTools(events: readonly RuntimeEvent[]): void {
  const open = new Set<string>()
  const calls = new Set<string>()
  for (const event of events) {
    if (event.type === 'tool-call') {
      expect(calls.has(event.callId), `two calls named ${event.callId}`).toBe(false)
      calls.add(event.callId)
      open.add(event.callId)
    }
    if (event.type === 'tool-result')
      expect(open.delete(event.callId), `a result for no open call: ${event.callId}`).toBe(true)
    if (event.type === 'approval-request')
      expect(open.has(event.callId), `asked for no open call: ${event.callId}`).toBe(true)
    if (event.type === 'done' && event.outcome === 'completed') expect([...open]).toEqual([])
  }
}

/** Checks that each accepted prompt is delivered or returned exactly once, in order of arrival. */
function expectAccountedPrompts(events: readonly RuntimeEvent[], accepted: readonly string[]): void {
  const delivered = events.flatMap((event) =>
    event.type === 'status' && event.state === 'prompt-delivered' ? [event.promptId] : [],
  )
  const undelivered = events.flatMap((event) => (endsRun(event) ? event.undelivered : []))
  expect([...delivered, ...undelivered]).toEqual(accepted)
}
