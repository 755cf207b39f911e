import { expect, test } from 'vitest'
import { connectionWords } from './use-connection.ts'

test('[PG7] the feed is live, reconnecting, or offline with its age', () => {
  const since = 1_000_000
  expect(connectionWords({ kind: 'live', since }, since + 1e9)).toEqual({ word: 'Live', offline: false })
  expect(connectionWords({ kind: 'connecting', since }, since)).toEqual({ word: 'Connecting', offline: false })
  expect(connectionWords({ kind: 'lost', since }, since + 1_000)).toEqual({ word: 'Reconnecting', offline: false })
  expect(connectionWords({ kind: 'lost', since }, since + 130_000)).toEqual({
    word: 'offline for 2 min',
    offline: true,
  })
  expect(connectionWords({ kind: 'connecting', since }, since + 130_000).offline).toBe(true)
})
