import type { RuntimeEvent, RuntimeEventBody } from '@clawboo/core/executor'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { DeltaMerger } from './run-streams.ts'

const numbered = (bodies: readonly RuntimeEventBody[]): RuntimeEvent[] =>
  bodies.map((body, at) => ({ runId: 'r', sessionId: null, ts: at, seq: at + 1, ...body }))
const text = (message: number, words: string): RuntimeEventBody => ({
  type: 'text-delta',
  message,
  offset: 0,
  text: words,
})
const reasoning = (message: number, words: string): RuntimeEventBody => ({
  type: 'reasoning-delta',
  message,
  text: words,
})
const notice: RuntimeEventBody = { type: 'status', state: 'notice', detail: 'x' }

it('[CV30] consecutive deltas of one message become one entry, and everything keeps its order', () => {
  const merger = new DeltaMerger()
  const events = numbered([text(0, 'a'), text(0, 'b'), reasoning(0, 'c'), text(0, 'd'), text(1, 'e'), notice])
  const entries = events.flatMap((event) => merger.add(event))
  expect(entries.map((entry) => ('text' in entry ? [entry.seq, entry.text] : [entry.seq]))).toEqual([
    [1, 'ab'],
    [3, 'c'],
    [4, 'd'],
    [5, 'e'],
    [6],
  ])
  expect(merger.open).toBeNull()
})

it('[CV31] a block is never merged', () => {
  const block = (words: string): RuntimeEventBody => ({ ...text(0, words), block: true }) as RuntimeEventBody
  const merger = new DeltaMerger()
  const entries = numbered([block('one'), block('two'), notice]).flatMap((event) => merger.add(event))
  expect(entries.map((entry) => ('text' in entry ? entry.text : ''))).toEqual(['one', 'two', ''])
})

it('[CV32] no text is lost or repeated, at whatever point the run is read', () => {
  const body = fc.oneof(
    fc.tuple(fc.nat(2), fc.string()).map(([message, words]) => text(message, words)),
    fc.tuple(fc.nat(2), fc.string()).map(([message, words]) => reasoning(message, words)),
    fc.constant(notice),
  )
  const wordsOf = (entries: readonly RuntimeEvent[]) =>
    entries.map((entry) =>
      'text' in entry ? `${entry.type}${'message' in entry ? entry.message : ''}${entry.text}` : '|',
    )
  fc.assert(
    fc.property(fc.array(body), (bodies) => {
      const events = numbered(bodies)
      const merger = new DeltaMerger()
      const merged: RuntimeEvent[] = []
      for (const [at, event] of events.entries()) {
        merged.push(...merger.add(event))
        const soFar = [...merged, ...(merger.open ? [merger.open] : [])]
        const again = new DeltaMerger()
        const whole = [...events.slice(0, at + 1).flatMap((other) => again.add(other)), ...again.flush()]
        expect(wordsOf(soFar)).toEqual(wordsOf(whole))
        expect(soFar.map(({ seq }) => seq)).toEqual([...soFar.map(({ seq }) => seq)].sort((a, b) => a - b))
      }
      const textOf = (entries: readonly RuntimeEvent[], type: string) =>
        entries.flatMap((event) => (event.type === type && 'text' in event ? [event.text] : [])).join('')
      merged.push(...merger.flush())
      for (const type of ['text-delta', 'reasoning-delta']) expect(textOf(merged, type)).toBe(textOf(events, type))
    }),
  )
})
