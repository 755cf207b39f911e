import { expect, test } from 'vitest'
import type { Agent } from '../../api/fleet.ts'
import { countStates, fleetRows } from './fleet-rows.ts'
import { type FleetSearch, readFleetSearch } from './fleet-search.ts'

const NOW = 1_800_000_000_000
const agent = (displayName: string, more: Partial<Agent> = {}): Agent => ({
  id: displayName.toLowerCase(),
  sourceId: 'here',
  sourceAgentId: displayName,
  displayName,
  emoji: null,
  avatarUrl: null,
  avatarSeed: null,
  status: 'idle',
  statusAt: NOW,
  sessionKey: null,
  isDefault: false,
  teamId: null,
  personalityConfig: null,
  execConfig: null,
  capabilities: null,
  participantKind: 'agent',
  runtime: 'r1',
  tenantId: null,
  archivedAt: null,
  createdAt: NOW,
  updatedAt: NOW,
  ...more,
})

const TEAMS: Record<string, string> = { t1: 'Launch', t2: 'Alpha' }
const names = { team: (id: string) => TEAMS[id], runtime: (id: string) => ({ r1: 'One', r2: 'Two' })[id] ?? id }
const agents = [
  agent('Boo 10', { teamId: 't1' }),
  agent('Boo 2', { teamId: 't1', status: 'running' }),
  agent('Zoë', { teamId: 't2', runtime: 'r2', personalityConfig: { role: 'Reads papers' } }),
  agent('adrift', { teamId: 'gone' }),
]
const list = (search: FleetSearch, booZeroId: string | null = null) =>
  fleetRows(agents, search, { names, booZeroId, now: NOW, waiting: new Set() }).map((row) =>
    row.type === 'group' ? `# ${row.title} ${row.count}` : row.agent.displayName,
  )

test('[PG15] the fleet is grouped by team and sorted by name with natural numbers, and Boos without a team come last', () => {
  expect(list({})).toEqual(['# Alpha 1', 'Zoë', '# Launch 2', 'Boo 2', 'Boo 10', '# No team 1', 'adrift'])
  expect(list({}, 'boo 10').slice(2, 5)).toEqual(['# Launch 2', 'Boo 10', 'Boo 2'])
})

test('[PG15] grouping by runtime uses the label, and no grouping has no headings', () => {
  expect(list({ group: 'runtime' })).toEqual(['# One 3', 'adrift', 'Boo 2', 'Boo 10', '# Two 1', 'Zoë'])
  expect(list({ group: 'none' })).toEqual(['adrift', 'Boo 2', 'Boo 10', 'Zoë'])
})

test('[PG15] search covers names and roles, ignores case and accents, and combines with a state', () => {
  expect(list({ q: 'zoe', group: 'none' })).toEqual(['Zoë'])
  expect(list({ q: 'PAPERS', group: 'none' })).toEqual(['Zoë'])
  expect(list({ q: 'boo', state: 'working', group: 'none' })).toEqual(['Boo 2'])
})

test('[PG15] the filters offer only states that occur, with their counts', () => {
  const sam = agent('Sam', { participantKind: 'human' })
  expect(countStates([...agents, sam], { now: NOW, waiting: new Set() })).toEqual([
    { kind: 'working', count: 1 },
    { kind: 'idle', count: 3 },
  ])
})

test('[PG8] an address with unknown values still shows the fleet', () => {
  expect(readFleetSearch({ q: 'a', state: 'working', group: 'runtime' })).toEqual({
    q: 'a',
    state: 'working',
    group: 'runtime',
  })
  expect(readFleetSearch({ q: '', state: 'toString', group: 'planet', more: 1 })).toEqual({})
})
