import { expect, test } from 'vitest'
import { DEFAULT_QUEUE_SETTINGS, resolveQueueSettings } from './queue-settings.ts'

test('[EX82] each queue setting comes from the conversation, else the agent, else the defaults', () => {
  expect(resolveQueueSettings({})).toEqual({ mode: 'steer', debounceMs: 500, cap: 20, drop: 'summarize' })
  expect(
    resolveQueueSettings({
      conversation: { mode: 'followup', cap: 3, drop: null },
      agent: { mode: 'collect', cap: 9, drop: 'old', debounceMs: 0 },
    }),
  ).toEqual({ mode: 'followup', debounceMs: 0, cap: 3, drop: 'old' })
})

test('[EX82] a cap below 1 and other invalid values count as not set', () => {
  const invalid = { mode: 'later' as never, debounceMs: -1, cap: 0, drop: 'all' as never }
  expect(resolveQueueSettings({ conversation: invalid })).toEqual(DEFAULT_QUEUE_SETTINGS)
  expect(resolveQueueSettings({ conversation: { cap: Number.NaN }, agent: { cap: 2.9 } }).cap).toBe(2)
})
