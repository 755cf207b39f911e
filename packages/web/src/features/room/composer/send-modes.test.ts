import { expect, test } from 'vitest'
import { ROOM_MODES } from '../../../shared/composer/send-modes.ts'
import { modeInForce, modeWords, sentWords } from './preview-words.ts'

test('[PG266] a message waits unless the person steers, and there is no choice without a running exchange', () => {
  expect(ROOM_MODES.map(({ mode }) => mode)).toEqual(['queue', 'steer'])
  expect(modeInForce([], 'steer')).toBeNull()
  expect(modeInForce([{}], 'steer')).toBe('steer')
  expect(modeWords('queue', false)).toBe('Sends when this finishes')
  expect(modeWords('steer', undefined)).toBe('Joins the current exchange')
  expect(modeWords('steer', false)).toContain('starts a new exchange')
})

test('[PG266] the announcement states whether a message waits or joined', () => {
  expect(sentWords('queue', false)).toContain('waits until')
  expect(sentWords('steer', true)).toContain('joins')
  expect(sentWords('steer', false)).toBe('Sent.')
  expect(sentWords(null, false)).toBe('Sent.')
})
