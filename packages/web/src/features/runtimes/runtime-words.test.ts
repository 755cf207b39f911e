import { expect, test } from 'vitest'
import type { SourceStatus } from '../../api/fleet.ts'
import type { Connection } from '../../api/sources.ts'
import { sentence } from '../../ui/words/sentence.ts'
import {
  deniedWords,
  endWords,
  namesWords,
  runtimeState,
  scopeWords,
  shownWords,
  wantsSecret,
} from './runtime-words.ts'

const NOW = new Date('2026-11-16T14:30:00').getTime()
const SINCE = new Date('2026-11-16T14:02:00').getTime()
const source = (change: Partial<SourceStatus> = {}): SourceStatus => ({
  sourceId: 'gate',
  label: 'Gate',
  connectable: true,
  hasToolPolicy: false,
  state: 'connected',
  lastSyncAt: NOW - 4 * 60_000,
  stale: false,
  trouble: 'none',
  ...change,
})
const connection = (change: Partial<Connection> = {}): Connection => ({
  state: 'connected',
  since: SINCE,
  address: '127.0.0.1:1',
  version: '4.7.11',
  scopes: [],
  lastSyncAt: null,
  problem: null,
  ...change,
})
const problem = (code: NonNullable<Connection['problem']>['code']) => ({ code, message: 'no', remedy: 'wait' })

test.each([
  [connection(), 'Connected', 'good', 'Connected since 14:02, version 4.7.11.'],
  [connection({ version: null }), 'Connected', 'good', 'Connected since 14:02.'],
  [
    connection({ problem: problem('scopes_missing') }),
    ...(['Connected, not usable', 'needs', 'Connected since 14:02, version 4.7.11.'] as const),
  ],
  [connection({ state: 'connecting' }), 'Connecting', 'plain', 'Connecting since 14:02.'],
  [
    connection({ state: 'reconnecting', problem: problem('unreachable') }),
    ...(['Trying again', 'needs', 'Trying again since 14:02.'] as const),
  ],
  [
    connection({ state: 'disconnected', problem: problem('secret_wrong') }),
    ...(['Needs you', 'needs', 'Not connected since 14:02. It does not reconnect automatically.'] as const),
  ],
  [connection({ state: 'disconnected', address: null }), 'Not connected', 'plain', 'Not connected.'],
] as const)('[RG60] each state of a connection has its words', (view, word, tone, line) => {
  expect(runtimeState(source({ state: view.state }), view, NOW)).toEqual({ word, tone, line })
})

test('[RG60] the state comes from the fleet until the connection is loaded, and a broken source always shows', () => {
  expect(runtimeState(source({ state: 'reconnecting' }), undefined, NOW)).toMatchObject({ line: 'Trying again.' })
  expect(runtimeState(source({ trouble: 'broken', detail: 'disk on fire' }), connection(), NOW)).toEqual({
    word: 'Unreadable',
    tone: 'bad',
    line: 'Disk on fire.',
  })
})

test('[RG60] a runtime with nothing to connect is ready unless it is unreachable', () => {
  expect(runtimeState(undefined, undefined, NOW).word).toBe('Ready')
  expect(runtimeState(source({ connectable: false }), undefined, NOW).word).toBe('Ready')
  expect(runtimeState(source({ connectable: false, trouble: 'offline' }), undefined, NOW).word).toBe('Offline')
})

test('[RG60] the Boos of a runtime have a count and an age', () => {
  const some = { boos: 2, people: 0 }
  expect(shownWords(source(), some, NOW)).toBe('2 Boos, refreshed 4 minutes ago.')
  expect(shownWords(source({ stale: true }), some, NOW)).toBe('2 Boos, shown as last seen 4 minutes ago.')
  expect(shownWords(source({ lastSyncAt: NOW + 5 }), some, NOW)).toBe('2 Boos, refreshed just now.')
  expect(shownWords(source({ lastSyncAt: null }), { boos: 0, people: 0 }, NOW)).toBe('No Boos yet.')
  expect(shownWords(source({ connectable: false }), { boos: 0, people: 1 }, NOW)).toBe('1 person.')
  expect(shownWords(undefined, { boos: 1, people: 2 }, NOW)).toBe('1 Boo, 2 people.')
})

test('[RG61] only a missing or wrong secret is asked for', () => {
  const asked = (['secret_missing', 'secret_wrong', 'unreachable', 'approval_needed', 'refused'] as const).filter(
    (code) => wantsSecret({ problem: problem(code) }),
  )
  expect(asked).toEqual(['secret_missing', 'secret_wrong'])
  expect(wantsSecret({ problem: null })).toBe(false)
})

test('[RG60] the permissions of an upstream are in words, and an unknown one is shown unchanged', () => {
  expect(scopeWords(['gate.read', 'x:ADMIN', 'gate.dig', 'other/read'])).toBe('read, change its settings and gate.dig')
  expect(scopeWords(['a.write'])).toBe('send messages and change things')
  expect(scopeWords([])).toBe('nothing')
})

test('[RG62] the dialog that ends a connection is named after the connection’s state', () => {
  const titles = (['connected', 'reconnecting', 'connecting', 'disconnected'] as const).map((state) =>
    endWords(connection({ state })).title('Gate'),
  )
  expect(titles).toEqual([
    'Disconnect Gate?',
    'Stop trying to connect Gate?',
    'Stop trying to connect Gate?',
    'Forget 127.0.0.1:1?',
  ])
})

test('[RG63] a long list of names is cut and shows how many are left out', () => {
  expect(namesWords(['moss', 'fern'])).toBe('moss, fern')
  expect(namesWords(['a', 'b', 'c', 'd'], 2)).toBe('a, b and 2 more')
  expect(sentence('done!')).toBe('Done!')
})

test('[RG67] one line shows how many tools are denied, and that only some are allowed', () => {
  expect(deniedWords({ allow: null, deny: [] })).toBe('Tools: none denied')
  expect(deniedWords({ allow: null, deny: ['exec'] })).toBe('Tools: 1 denied')
  expect(deniedWords({ allow: ['read'], deny: ['exec', 'browser'] })).toBe('Tools: 2 denied, only some are allowed')
})
