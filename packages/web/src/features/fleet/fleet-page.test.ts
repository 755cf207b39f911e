import { expect, test } from 'vitest'
import { staleWords } from './fleet-page.tsx'

const NOW = 1_800_000_000_000
const source = {
  sourceId: 'gate',
  label: 'The gateway',
  connectable: true,
  hasToolPolicy: false,
  state: 'reconnecting',
  lastSyncAt: NOW - 4 * 60_000,
  stale: true,
  trouble: 'offline',
} as const

test('[PG18] a stale source shows its name, its age and its Boos', () => {
  expect(staleWords(source, 3, NOW)).toBe(
    'The gateway is offline. Last seen 4 minutes ago. Its 3 Boos are shown as last seen.',
  )
  expect(staleWords({ ...source, state: 'disconnected' }, 1, NOW)).toBe(
    'The gateway is not connected. Last seen 4 minutes ago. Its 1 Boo is shown as last seen.',
  )
  expect(staleWords({ ...source, lastSyncAt: null, trouble: 'broken' }, 0, NOW)).toBe('The gateway is unreadable.')
})
