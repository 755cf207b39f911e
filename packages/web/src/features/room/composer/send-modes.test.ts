import { expect, test } from 'vitest'
import { modeInForce, modeWords, SEND_MODES, sentWords } from './send-modes.ts'

test('[PG266] a message waits unless one chooses that it joins, and there is no choice while nothing is under way', () => {
  expect(SEND_MODES.map(({ mode }) => mode)).toEqual(['queue', 'steer'])
  expect(modeInForce([], 'steer')).toBeNull()
  expect(modeInForce([{}], 'steer')).toBe('steer')
  expect(modeWords('queue', false)).toBe('Waits behind what is under way')
  expect(modeWords('steer', undefined)).toBe('Joins what is under way')
  expect(modeWords('steer', false)).toContain('begins anew')
})

test('[PG266] what was sent says whether it waits or has joined', () => {
  expect(sentWords('queue', false)).toContain('waits behind')
  expect(sentWords('steer', true)).toContain('joins')
  expect(sentWords('steer', false)).toBe('Sent.')
  expect(sentWords(null, false)).toBe('Sent.')
})
