import type { TeamProjects } from '../../registry/team-projects.ts'
import type { TeamDetail, Teams } from '../../registry/teams.ts'
import type { Handlers } from '../app.ts'

export function teamRoutes({ teams, projects }: { teams: Teams; projects: TeamProjects }) {
  return {
    listTeams: async () => ({ teams: await teams.list() }),
    createTeam: async ({ body }) => plain(await teams.create(body)),
    getTeam: async ({ params }) => plain(await teams.get(params.teamId)),
    updateTeam: async ({ params, body }) => plain(await teams.update(params.teamId, body)),
    deleteTeam: async ({ params }) => void (await teams.remove(params.teamId)),
    addTeamMember: async ({ params }) => plain(await teams.addMember(params.teamId, params.agentId)),
    removeTeamMember: async ({ params }) => plain(await teams.removeMember(params.teamId, params.agentId)),
    setTeamLead: async ({ params, body }) => plain(await teams.setLead(params.teamId, body.agentId)),
    getTeamProject: ({ params }) => projects.get(params.teamId),
    setTeamProject: ({ params, body }) => projects.set(params.teamId, body),
  } satisfies Partial<Handlers>
}

function plain({ team, memberIds, leaderId }: TeamDetail) {
  return { team, memberIds: [...memberIds], leaderId }
}
