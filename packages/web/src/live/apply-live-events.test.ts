import type { LiveEvent } from '@clawboo/api'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Agent, Fleet } from '../api/fleet.ts'
import type { Team } from '../api/teams.ts'
import { applyToFleet, applyToTeams } from './apply-live-events.ts'

const agent = (id: string, more: Partial<Agent> = {}): Agent => ({
  id,
  sourceId: 'here',
  sourceAgentId: id,
  displayName: id,
  emoji: null,
  avatarUrl: null,
  avatarSeed: null,
  status: 'idle',
  statusAt: 0,
  sessionKey: null,
  isDefault: false,
  teamId: null,
  personalityConfig: null,
  execConfig: null,
  capabilities: null,
  participantKind: 'agent',
  runtime: 'here',
  tenantId: null,
  archivedAt: null,
  createdAt: Number(id.replace(/\D/g, '')),
  updatedAt: 0,
  ...more,
})

const fleet = (...agents: Agent[]): Fleet => ({
  agents,
  defaultId: null,
  mainKey: null,
  booZeroId: agents[0]?.id ?? null,
  stale: false,
  sources: [],
})

const team = (id: string, name = id): Team => ({
  id,
  name,
  description: null,
  leadAgentId: null,
  agentCount: 0,
  tenantId: null,
  archivedAt: null,
  createdAt: 0,
  updatedAt: 0,
})

const ids = (of: Fleet) => of.agents.map(({ id }) => id)

test('[PG30] each event changes the fleet as it changed on the server', () => {
  const start = fleet(agent('a1'), agent('a2', { teamId: 't1' }), agent('a3'))
  expect(ids(applyToFleet(start, [{ type: 'agent-upserted', agent: agent('a4') }]))).toEqual(['a1', 'a2', 'a3', 'a4'])
  expect(ids(applyToFleet(start, [{ type: 'agent-removed', agentId: 'a2' }]))).toEqual(['a1', 'a3'])
  expect(ids(applyToFleet(start, [{ type: 'agent-archived', agentId: 'a1' }]))).toEqual(['a2', 'a3'])
  const [first] = applyToFleet(start, [{ type: 'agent-status', agentId: 'a1', status: 'running', statusAt: 9 }]).agents
  expect(first).toMatchObject({ status: 'running', statusAt: 9 })
  expect(applyToFleet(start, [{ type: 'team-removed', teamId: 't1' }]).agents[1]!.teamId).toBeNull()
})

test('[PG30] a restored Boo is at its place in the server’s order, and Boo Zero is found again', () => {
  const start = fleet(agent('a1'), agent('a5'))
  const back = applyToFleet(start, [{ type: 'agent-upserted', agent: agent('a3', { isDefault: true }) }])
  expect(ids(back)).toEqual(['a1', 'a3', 'a5'])
  expect(back).toMatchObject({ defaultId: 'a3', booZeroId: 'a3' })
  expect(applyToFleet(back, [{ type: 'agent-removed', agentId: 'a3' }]).booZeroId).toBe('a1')
  const people = applyToFleet(fleet(), [{ type: 'agent-upserted', agent: agent('a1', { participantKind: 'human' }) }])
  expect(people.booZeroId).toBeNull()
})

test('[PG30] an older status never overwrites a newer one', () => {
  const start = fleet(agent('a1', { status: 'running', statusAt: 20 }))
  const late: LiveEvent = { type: 'agent-status', agentId: 'a1', status: 'idle', statusAt: 10 }
  expect(applyToFleet(start, [late]).agents[0]).toMatchObject({ status: 'running', statusAt: 20 })
})

const anyId = fc.integer({ min: 1, max: 6 }).map((number) => `a${number}`)
const anyEvent: fc.Arbitrary<LiveEvent> = fc.oneof(
  fc.record({
    type: fc.constant('agent-upserted' as const),
    agent: fc.tuple(anyId, fc.string()).map(([id, name]) => agent(id, { displayName: name })),
  }),
  fc.record({
    type: fc.constant('agent-status' as const),
    agentId: anyId,
    status: fc.constantFrom('idle' as const, 'running' as const, 'error' as const),
    statusAt: fc.integer({ min: 1, max: 50 }),
  }),
  fc.record({ type: fc.constant('agent-removed' as const), agentId: anyId }),
  fc.record({ type: fc.constant('agent-archived' as const), agentId: anyId }),
)

test('[PG34] events applied in one batch or one by one give the same fleet, without duplicates', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
      const start = fleet(agent('a1'), agent('a2'))
      const atOnce = applyToFleet(start, events)
      const oneByOne = events.reduce((now, event) => applyToFleet(now, [event]), start)
      expect(atOnce).toEqual(oneByOne)
      expect(new Set(ids(atOnce)).size).toBe(atOnce.agents.length)
    }),
  )
})

test('[PG34] events that a response already includes change nothing when applied again', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
      const once = applyToFleet(fleet(agent('a1')), events)
      // A record loaded later is as new as its last event, so applying the tail again changes nothing.
      expect(ids(applyToFleet(once, events))).toEqual(ids(once))
    }),
  )
})

test('[PG30] teams are added, changed and removed in place', () => {
  const start = [team('t1'), team('t2')]
  const changed = applyToTeams(start, [
    { type: 'team-upserted', team: team('t1', 'Launch') },
    { type: 'team-removed', teamId: 't2' },
    { type: 'team-upserted', team: team('t3') },
    { type: 'team-upserted', team: team('t3', 'Three') },
  ])
  expect(changed.map(({ id, name }) => [id, name])).toEqual([
    ['t1', 'Launch'],
    ['t3', 'Three'],
  ])
})
