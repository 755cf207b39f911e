import type { RunEntry } from '@clawboo/core/executor'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { foldRun } from '../../live/fold-run.ts'
import { entriesAt, planReplay } from './replay.ts'

const entry = (seq: number, ts: number, text: string): RunEntry => ({
  runId: 'r',
  sessionId: null,
  ts,
  seq,
  type: 'text-delta',
  message: seq,
  offset: 0,
  text,
})

test('[PG82] a replay keeps order and pace, shortens long waits and ends with the whole record', () => {
  const entries = [entry(1, 0, 'a'.repeat(400)), entry(2, 3_600_000, 'b')]
  const replay = planReplay(entries)
  expect(replay.steps.map(({ at }) => at)).toEqual([0, 3_000])
  expect(entriesAt(replay, 500)).toMatchObject([{ text: 'a'.repeat(200) }])
  expect(entriesAt(replay, replay.length)).toEqual(entries)
  expect(planReplay([])).toEqual({ steps: [], length: 0 })
})

test('[PG82] at any moment the replay shows a beginning of the record', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(5_000), fc.string({ minLength: 1, maxLength: 50 })), { maxLength: 20 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (made, share) => {
        let ts = 0
        const entries = made.map(([pause, text], index) => {
          ts += pause
          return entry(index + 1, ts, text)
        })
        const replay = planReplay(entries)
        const whole = foldRun(entries).blocks
        const shown = foldRun(entriesAt(replay, replay.length * share)).blocks
        shown.forEach((block, index) => {
          const full = whole[index]!
          expect(full.kind === 'text' && block.kind === 'text' && full.text.startsWith(block.text)).toBe(true)
        })
      },
    ),
  )
})
