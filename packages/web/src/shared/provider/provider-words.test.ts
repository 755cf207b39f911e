import { expect, test } from 'vitest'
import { storedKeyWords } from './provider-words.ts'

test('[PG173] a stored key shows only what is known about it', () => {
  expect(storedKeyWords('Lab', null)).toBe('A key for Lab is stored.')
  expect(storedKeyWords('Lab', { result: 'ok', detail: null })).toBe('The key for Lab is stored and works.')
  expect(storedKeyWords('Lab', { result: 'unreachable', detail: null })).toContain('stored but not tested')
  expect(storedKeyWords('Lab', { result: 'refused', detail: null })).toContain('Lab refused it')
})
