import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fleetLeaders, identifyBooZero, resolveTeamLeader } from './fleet-leaders.ts'

const agent = (id: string, teamId: string | null = null) => ({ id, teamId })

test('[RG1] Boo Zero is the default agent when it is in the fleet, even in a team', () => {
  expect(identifyBooZero([agent('a'), agent('b', 'team')], 'b')).toBe('b')
})

test('[RG1] ignores a default agent that is not in the fleet', () => {
  expect(identifyBooZero([agent('a', 'team'), agent('b')], 'gone')).toBe('b')
})

test('[RG2] without a default agent, Boo Zero is the first agent without a team', () => {
  expect(identifyBooZero([agent('a', 'team'), agent('b'), agent('c')], null)).toBe('b')
})

test('[RG3] when every agent is in a team, Boo Zero is the first agent', () => {
  expect(identifyBooZero([agent('a', 'x'), agent('b', 'y')], null)).toBe('a')
})

test('[RG4] an empty fleet has no Boo Zero; every other fleet has one of its own', () => {
  expect(identifyBooZero([], 'a')).toBeNull()
  const fleets = fc.array(fc.record({ id: fc.string({ minLength: 1 }), teamId: fc.option(fc.string()) }), {
    minLength: 1,
  })
  fc.assert(
    fc.property(fleets, fc.option(fc.string()), (fleet, defaultId) =>
      fleet.some(({ id }) => id === identifyBooZero(fleet, defaultId)),
    ),
  )
})

test('[RG5] Boo Zero leads every team while it exists', () => {
  expect(resolveTeamLeader({ booZeroId: 'zero', leadAgentId: 'a', members: [{ id: 'a' }] })).toBe('zero')
})

test('[RG6] without Boo Zero, the lead leads if it is a member', () => {
  const members = [{ id: 'a' }, { id: 'b' }]
  expect(resolveTeamLeader({ booZeroId: null, leadAgentId: 'b', members })).toBe('b')
  expect(resolveTeamLeader({ booZeroId: null, leadAgentId: 'left', members })).toBe('a')
})

test('[RG7] without Boo Zero and a lead, the first member leads; an empty team has no leader', () => {
  expect(resolveTeamLeader({ booZeroId: null, leadAgentId: null, members: [{ id: 'a' }, { id: 'b' }] })).toBe('a')
  expect(resolveTeamLeader({ booZeroId: null, leadAgentId: 'a', members: [] })).toBeNull()
})

test('[RG34] a person is neither the default agent nor Boo Zero', () => {
  const member = (id: string, participantKind: 'agent' | 'human', isDefault = false) => ({
    id,
    teamId: null,
    participantKind,
    isDefault,
  })
  expect(fleetLeaders([member('robin', 'human', true), member('ada', 'agent')])).toEqual({
    defaultId: null,
    booZeroId: 'ada',
  })
  expect(fleetLeaders([member('robin', 'human')])).toEqual({ defaultId: null, booZeroId: null })
  expect(fleetLeaders([member('ada', 'agent'), member('zero', 'agent', true)])).toEqual({
    defaultId: 'zero',
    booZeroId: 'zero',
  })
})
