import { expect, test } from 'vitest'
import { readTurnCap } from './room-settings-page.tsx'

test('[PG273] a turn cap is a whole number within its range, or empty for the default', () => {
  expect(readTurnCap(' 8 ')).toEqual({ turnCap: 8 })
  expect(readTurnCap('')).toEqual({ turnCap: null })
  for (const typed of ['0', '51', '2.5', '-1', 'x', '1e1', '9'.repeat(30)])
    expect(readTurnCap(typed)).toHaveProperty('problem')
})
