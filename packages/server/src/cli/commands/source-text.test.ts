import { expect, test } from 'vitest'
import { type Connection, connectionText, type ListedSource, sourcesText } from './sources.ts'

const NOW = 1_800_000_000_000
const connection: Connection = {
  state: 'reconnecting',
  since: NOW,
  address: 'there',
  version: null,
  scopes: [],
  lastSyncAt: null,
  problem: null,
}
const source: ListedSource = {
  sourceId: 'gate',
  label: 'Gate',
  connectable: true,
  hasToolPolicy: false,
  state: 'reconnecting',
  lastSyncAt: NOW,
  stale: true,
  trouble: 'offline',
  agentCount: 2,
}

test.each([
  [0, 'just now'],
  [-5, 'just now'],
  [4 * 60_000, '4 min'],
  [3 * 3_600_000, '3 h'],
  [72 * 3_600_000, '3 d'],
])('[RG58] shows an age of %s ms as %s', (age, words) => {
  expect(sourcesText([{ ...source, lastSyncAt: NOW - age, stale: false }], NOW)).toContain(`trying again  ${words}  `)
})

test('[RG58] shows why a source cannot be read', () => {
  const broken = { ...source, connectable: false, trouble: 'broken', detail: 'disk on fire' } as const
  expect(sourcesText([broken], NOW)).toMatch(/^Gate +broken .* disk on fire$/m)
})

test('[RG58] text from an upstream cannot control the terminal or look like output of the command', () => {
  const problem = {
    code: 'refused' as const,
    message: 'no\nGate  connected\u001b[2J',
    remedy: 'wait\u202e\nfor it\u2028now',
  }
  const texts = [
    sourcesText([{ ...source, connection: { ...connection, problem } }], NOW),
    connectionText('Gate\n', { ...connection, address: 'a\u001bb', version: '1\n2', problem }),
    connectionText('Gate', { ...connection, state: 'connected', version: '1\n2\u0007', address: 'x\u202ey' }),
  ]
  for (const text of texts) expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u)
  expect(texts.map((text) => text.split('\n').length)).toEqual([2, 2, 1])
  expect(texts[1]).toContain('Clawboo keeps trying.')
})
