import { expect, test } from 'vitest'
import type { Agent, Fleet } from '../../api/fleet.ts'
import type { Team } from '../../api/teams.ts'
import { teamLeadership } from './team-page.tsx'

const agent = (id: string) => ({ id, displayName: id, teamId: 't1' }) as Agent
const fleet = (booZeroId: string | null, ...agents: Agent[]) => ({ agents, booZeroId }) as Fleet
const team = (leadAgentId: string | null) => ({ id: 't1', leadAgentId }) as Team

test('[PG36] the leader of a team is always shown with the reason', () => {
  const [ada, kit] = [agent('Ada'), agent('Kit')]
  expect(teamLeadership(team(null), [kit], fleet('Ada', ada, kit)).why).toBe(
    'Ada is Boo Zero, and Boo Zero leads every team.',
  )
  expect(teamLeadership(team('Kit'), [kit], fleet('Ada', ada, kit)).why).toContain("Kit is the team's own lead")
  expect(teamLeadership(team('Kit'), [ada, kit], fleet(null, ada, kit))).toMatchObject({ leader: kit })
  expect(teamLeadership(team(null), [ada, kit], fleet(null, ada, kit)).why).toContain('Ada is the first member')
  expect(teamLeadership(team(null), [], fleet(null))).toMatchObject({ leader: null })
})
