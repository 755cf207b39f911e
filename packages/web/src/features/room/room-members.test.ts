import { expect, test } from 'vitest'
import type { Agent, Fleet } from '../../api/fleet.ts'
import type { Team } from '../../api/teams.ts'
import { roomMembers } from './room-members.ts'

const agent = (id: string, teamId: string | null, participantKind: Agent['participantKind'] = 'agent') =>
  ({ id, displayName: id, teamId, participantKind }) as Agent
const team = { id: 'launch', leadAgentId: null } as Team
const fleet = (booZeroId: string | null, ...agents: Agent[]) => ({ agents, booZeroId }) as Fleet

test('[PG243] the leader comes first even without a team, people come last, and no name is an id', () => {
  const everybody = [
    agent('Moss', 'launch'),
    agent('Kit', 'launch'),
    agent('Robin', 'launch', 'human'),
    agent('Zero', null),
    agent('Far', 'other'),
  ]
  const led = roomMembers(team, fleet('Zero', ...everybody))
  expect(led.boos.map(({ id }) => id)).toEqual(['Zero', 'Kit', 'Moss'])
  expect([led.people.map(({ id }) => id), led.leaderId]).toEqual([['Robin'], 'Zero'])
  expect([led.nameOf('Far'), led.nameOf('0193-gone')]).toEqual(['Far', 'A deleted Boo'])
  const own = roomMembers(team, fleet('Moss', ...everybody))
  expect(own.boos.map(({ id }) => id)).toEqual(['Moss', 'Kit'])
  expect(roomMembers(team, fleet(null)).leaderId).toBeNull()
})
