import { expect, test } from 'vitest'
import { DEFAULT_QUEUE_SETTINGS, parseDuration, parseQueueMode, resolveQueueSettings } from './queue-settings.ts'

test('[EX80] a queue mode is known by its name and its other names, in any case', () => {
  const names = {
    steer: ['steer', 'steering', 'queue', ' Steer '],
    followup: ['followup', 'followups', 'follow-ups', 'steer-backlog'],
    collect: ['collect', 'coalesce'],
    interrupt: ['interrupt', 'interrupts', 'ABORT'],
  }
  for (const [mode, spellings] of Object.entries(names))
    for (const name of spellings) expect(parseQueueMode(name)).toBe(mode)
  for (const name of ['', 'later', 'constructor']) expect(parseQueueMode(name)).toBeNull()
})

test('[EX81] a debounce time is a number of milliseconds, or one with the unit ms, s, m, h or d', () => {
  const times = { '500': 500, '500ms': 500, '2s': 2_000, '1.5m': 90_000, '1h': 3_600_000, ' 1D ': 86_400_000, '0': 0 }
  for (const [text, ms] of Object.entries(times)) expect(parseDuration(text)).toBe(ms)
  for (const text of ['', 's', '-1', '1w', '1e3', '999999999999d', '1 2']) expect(parseDuration(text)).toBeNull()
})

test('[EX82] each queue setting comes from the nearest level that sets it: message, conversation, agent, server', () => {
  expect(resolveQueueSettings({})).toEqual({ mode: 'steer', debounceMs: 500, cap: 20, drop: 'summarize' })
  expect(
    resolveQueueSettings({
      message: { mode: 'collect' },
      conversation: { mode: 'followup', cap: 3, drop: null },
      agent: { cap: 9, drop: 'old', debounceMs: 0 },
      server: { debounceMs: 7 },
    }),
  ).toEqual({ mode: 'collect', debounceMs: 0, cap: 3, drop: 'old' })
})

test('[EX82] a cap below 1 and other invalid values count as not set', () => {
  const nonsense = { mode: 'later' as never, debounceMs: -1, cap: 0, drop: 'all' as never }
  expect(resolveQueueSettings({ message: nonsense })).toEqual(DEFAULT_QUEUE_SETTINGS)
  expect(resolveQueueSettings({ message: { cap: Number.NaN }, agent: { cap: 2.9 } }).cap).toBe(2)
})
