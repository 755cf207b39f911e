import { expect, test } from 'vitest'
import { describeServer } from '../engines.ts'

describeServer('Teams', (server) => {
  const api = () => server().client
  const makeAgent = async (name: string, teamId: string | null = null) =>
    (await api().createAgent({ body: { name, teamId } })).id
  const makeTeam = async (name: string) => (await api().createTeam({ body: { name } })).team.id

  test('[RG38] refuses a name that is used in the team, also for a rename, a join and another spelling', async () => {
    const teamId = await makeTeam('Names')
    await makeAgent('Ada', teamId)
    const bob = await makeAgent('Bob', teamId)
    const outside = await makeAgent('ÀDA')
    const refusals = [
      api().createAgent({ body: { name: ' ada ', teamId } }),
      api().updateAgent({ params: { agentId: bob }, body: { name: 'ADA' } }),
      api().updateAgent({ params: { agentId: outside }, body: { teamId } }),
      api().addTeamMember({ params: { teamId, agentId: outside } }),
    ]
    for (const refusal of await Promise.allSettled(refusals))
      expect(refusal).toMatchObject({ reason: { status: 409, code: 'agent_name_taken' } })
    expect((await api().getTeam({ params: { teamId } })).memberIds).toHaveLength(2)
    await expect(api().createTeam({ body: { name: 'names' } })).rejects.toMatchObject({
      status: 409,
      code: 'team_name_taken',
    })
  })

  test('[RG41] deleting a team keeps its members, without a team', async () => {
    const teamId = await makeTeam('Short-lived')
    const agentId = await makeAgent('Survivor', teamId)
    await api().deleteTeam({ params: { teamId } })
    expect((await api().getAgent({ params: { agentId } })).teamId).toBeNull()
    await expect(api().getTeam({ params: { teamId } })).rejects.toMatchObject({ code: 'team_not_found' })
  })

  test('[RG42] an agent that joins a team leaves its previous one, and both counts follow', async () => {
    const [from, to] = [await makeTeam('From'), await makeTeam('To')]
    const agentId = await makeAgent('Wanderer', from)
    await api().addTeamMember({ params: { teamId: to, agentId } })
    expect((await api().getTeam({ params: { teamId: from } })).team.agentCount).toBe(0)
    expect((await api().getTeam({ params: { teamId: to } })).memberIds).toEqual([agentId])
    expect((await api().addTeamMember({ params: { teamId: to, agentId } })).memberIds).toEqual([agentId])
  })

  test('[RG43] a lead must be a member, and removing that member clears the lead', async () => {
    const teamId = await makeTeam('Led')
    const lead = await makeAgent('Lead', teamId)
    const stranger = await makeAgent('Stranger')
    await expect(api().setTeamLead({ params: { teamId }, body: { agentId: stranger } })).rejects.toMatchObject({
      code: 'agent_not_found',
    })
    expect((await api().setTeamLead({ params: { teamId }, body: { agentId: lead } })).team.leadAgentId).toBe(lead)
    expect((await api().removeTeamMember({ params: { teamId, agentId: lead } })).team.leadAgentId).toBeNull()
  })

  test('[RG42] creates a team with members in one step, or not at all', async () => {
    const [a, b] = [await makeAgent('One'), await makeAgent('Two')]
    const made = await api().createTeam({
      body: { name: 'Ready made', description: 'of two', memberIds: [a, b], leadAgentId: b },
    })
    expect(made).toMatchObject({ team: { agentCount: 2, leadAgentId: b, description: 'of two' }, memberIds: [a, b] })
    await expect(api().createTeam({ body: { name: 'Half made', memberIds: [a, 'nobody'] } })).rejects.toMatchObject({
      code: 'agent_not_found',
    })
    expect((await api().listTeams({})).teams.map((team) => team.name)).not.toContain('Half made')
    expect((await api().getTeam({ params: { teamId: made.team.id } })).memberIds).toEqual([a, b])
  })

  test('[RG12] renames and describes a team without changing the rest', async () => {
    const teamId = await makeTeam('Before')
    const member = await makeAgent('Member', teamId)
    expect(await api().updateTeam({ params: { teamId }, body: { name: 'After', description: 'why' } })).toMatchObject({
      team: { name: 'After', description: 'why' },
      memberIds: [member],
    })
    await expect(api().updateTeam({ params: { teamId: 'nowhere' }, body: { name: 'x' } })).rejects.toMatchObject({
      code: 'team_not_found',
    })
  })

  test('[RG43] a lead that leaves in any way is no longer the lead', async () => {
    const [teamId, other] = [await makeTeam('Left'), await makeTeam('Elsewhere')]
    const ways = {
      'by a patch': (agentId: string) => api().updateAgent({ params: { agentId }, body: { teamId: null } }),
      'into another team': (agentId: string) => api().addTeamMember({ params: { teamId: other, agentId } }),
      'by deletion': (agentId: string) => api().deleteAgent({ params: { agentId } }),
    }
    for (const [name, leave] of Object.entries(ways)) {
      const agentId = await makeAgent(`Leaves ${name}`, teamId)
      await api().setTeamLead({ params: { teamId }, body: { agentId } })
      await leave(agentId)
      expect((await api().getTeam({ params: { teamId } })).team).toMatchObject({ leadAgentId: null, agentCount: 0 })
    }
  })

  test('[RG47] publishes a change once: one event per team, and none for a change without effect', async () => {
    const teamId = await makeTeam('Told')
    const agentId = await makeAgent('Told of', teamId)
    const countOf = async (change: () => Promise<unknown>) => {
      const before = Number((await api().getStatus({})).lastEventId)
      await change()
      return Number((await api().getStatus({})).lastEventId) - before
    }
    expect(await countOf(() => api().updateTeam({ params: { teamId }, body: { description: 'x' } }))).toBe(1)
    expect(await countOf(() => api().setTeamLead({ params: { teamId }, body: { agentId } }))).toBe(1)
    expect(await countOf(() => api().addTeamMember({ params: { teamId, agentId } }))).toBe(0)
    expect(await countOf(() => api().removeTeamMember({ params: { teamId, agentId } }))).toBe(2)
  })
})
