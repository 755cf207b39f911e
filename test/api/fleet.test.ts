import { expect, test } from 'vitest'
import { describeServer } from '../engines.ts'
import { removeHome, startServer } from '../server-process.ts'

describeServer('The fleet', (server) => {
  const api = () => server().client
  const getFleet = (headers: Record<string, string> = {}) =>
    fetch(`${server().url}/api/agents`, { headers: { authorization: `Bearer ${server().token}`, ...headers } })

  test('[RG35] an empty fleet is a valid response, with the source that could fill it', async () => {
    const fleet = await api().listAgents({})
    expect(fleet).toMatchObject({ agents: [], defaultId: null, mainKey: null, booZeroId: null, stale: false })
    const own = fleet.sources.filter(({ connectable }) => !connectable)
    expect(own).toMatchObject([{ state: 'connected', stale: false, label: 'Clawboo' }])
  })

  test('[RG35] a created agent is in the fleet, and the first one without a team is Boo Zero', async () => {
    const ada = await api().createAgent({ body: { name: 'Ada', personalityConfig: { role: 'Leads' } } })
    const fleet = await api().listAgents({})
    expect(fleet.agents).toEqual([ada])
    expect(fleet.booZeroId).toBe(ada.id)
    expect(await api().getAgent({ params: { agentId: ada.id } })).toEqual(ada)
  })

  test('[RG37] the fleet responds with 304 to its own tag until an agent or a team changes', async () => {
    const tagOf = async () => (await getFleet()).headers.get('etag')!
    const first = await tagOf()
    const again = await getFleet({ 'if-none-match': first })
    expect(again.status).toBe(304)
    expect(await again.text()).toBe('')
    const { id } = await api().createAgent({ body: { name: 'Tagged' } })
    const afterCreate = await tagOf()
    expect(afterCreate).not.toBe(first)
    const { team } = await api().createTeam({ body: { name: 'Tag team' } })
    const afterTeam = await tagOf()
    expect(afterTeam).not.toBe(afterCreate)
    expect((await getFleet({ 'if-none-match': first })).status).toBe(200)
    await api().deleteAgent({ params: { agentId: id } })
    await api().deleteTeam({ params: { teamId: team.id } })
  })

  test('[RG36] filters the fleet by team, runtime, status and text, regardless of case and accents', async () => {
    const { team } = await api().createTeam({ body: { name: 'Filters' } })
    const zoe = await api().createAgent({
      body: { name: 'Zoë', teamId: team.id, personalityConfig: { role: 'Front end' } },
    })
    const names = async (query: Parameters<ReturnType<typeof api>['listAgents']>[0]['query']) =>
      (await api().listAgents({ query })).agents.map((agent) => agent.displayName)
    expect(await names({ team: team.id })).toEqual(['Zoë'])
    expect(await names({ text: 'zoe' })).toEqual(['Zoë'])
    expect(await names({ text: 'FRONT zo' })).toEqual(['Zoë'])
    expect(await names({ text: 'zoe back' })).toEqual([])
    expect(await names({ team: 'none' })).not.toContain('Zoë')
    expect(await names({ runtime: zoe.runtime, status: 'idle', team: team.id })).toEqual(['Zoë'])
    expect(await names({ runtime: 'another', team: team.id })).toEqual([])
    expect(await names({ status: 'running' })).toEqual([])
  })

  test('[RG39] refuses a bad body with the name of the field, and creates nothing', async () => {
    const before = (await api().listAgents({})).agents.length
    const bad = [
      [{}, 'name'],
      [{ name: '  ' }, 'name'],
      [{ name: 'a\nb' }, 'name'],
      [{ name: '\u200b' }, 'name'],
      [{ name: '\u2800' }, 'name'],
      [{ name: 'Ada\u202e' }, 'name'],
      [{ name: 'x'.repeat(81) }, 'name'],
      [{ name: 'Ada', files: { 'OTHER.md': 'x' } }, 'files'],
      [{ name: 'Ada', surprise: 1 }, 'surprise'],
      [{ name: 'Ada', execConfig: { budgetUsd: -1 } }, 'budgetUsd'],
    ] as const
    for (const [body, field] of bad) {
      const refusal = await api()
        .createAgent({ body: body as { name: string } })
        .catch((error) => error)
      expect(refusal).toMatchObject({ status: 400 })
      expect(`${refusal.message} ${JSON.stringify(refusal.details)}`).toContain(field)
    }
    expect((await api().listAgents({})).agents).toHaveLength(before)
  })

  test('[RG40] moving an agent changes only its runtime, and only to one that fits', async () => {
    const agent = await api().createAgent({ body: { name: 'Mover' } })
    const params = { agentId: agent.id }
    expect(await api().moveAgent({ params, body: { runtime: agent.runtime } })).toEqual(agent)
    await expect(api().moveAgent({ params, body: { runtime: 'nowhere' } })).rejects.toMatchObject({
      code: 'runtime_not_found',
      status: 404,
    })
    await expect(api().moveAgent({ params, body: { runtime: 'human' } })).rejects.toMatchObject({
      code: 'agent_config_invalid',
    })
    expect(await api().getAgent({ params })).toEqual(agent)
  })

  test('[RG34] a person is in the fleet, can join a team, and is not Boo Zero', async () => {
    const { team } = await api().createTeam({ body: { name: 'People' } })
    const person = await api().createAgent({ body: { name: 'Robin', participantKind: 'human', teamId: team.id } })
    expect(person).toMatchObject({ participantKind: 'human', runtime: 'human', teamId: team.id })
    await expect(
      api().createAgent({ body: { name: 'Odd', participantKind: 'agent', runtime: 'human' } }),
    ).rejects.toMatchObject({ code: 'agent_config_invalid' })
    const fleet = await api().listAgents({})
    expect(fleet.agents.map((agent) => agent.id)).toContain(person.id)
    expect(fleet.booZeroId).not.toBe(person.id)
  })

  test('[RG45] every write leaves an audit entry with actor, action and time', async () => {
    const agent = await api().createAgent({ body: { name: 'Watched' } })
    await api().updateAgent({ params: { agentId: agent.id }, body: { emoji: '👀' } })
    await api().deleteAgent({ params: { agentId: agent.id } })
    const { entries } = await api().listAudit({ query: { limit: 3 } })
    expect(entries.map(({ actor, action, subject }) => ({ actor, action, subject }))).toEqual([
      { actor: 'operator', action: 'agent.delete', subject: agent.id },
      { actor: 'operator', action: 'agent.update', subject: agent.id },
      { actor: 'operator', action: 'agent.create', subject: agent.id },
    ])
    const [older] = (await api().listAudit({ query: { limit: 1, before: entries[2]!.id } })).entries
    expect(older!.id < entries[2]!.id).toBe(true)
  })

  test('[RG47] exactly one of two agents that race for a name in a team is created', async () => {
    const { team } = await api().createTeam({ body: { name: 'Racers' } })
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, () => api().createAgent({ body: { name: 'Only', teamId: team.id } })),
    )
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1)
    const { entries } = await api().listAudit({ query: { limit: 20 } })
    const made = (await api().listAgents({ query: { team: team.id } })).agents
    expect(made).toHaveLength(1)
    expect(entries.filter((entry) => entry.subject === made[0]!.id)).toHaveLength(1)
  })

  test('[RG35] lists sources and runtimes, and cannot sync an unknown source', async () => {
    const { sources } = await api().listSources({})
    const { agents } = await api().listAgents({})
    const own = sources.filter(({ connectable }) => !connectable)
    expect(own).toMatchObject([{ label: 'Clawboo', agentCount: agents.length }])
    const { runtimes } = await api().listRuntimes({})
    const always = runtimes.filter(({ connecting }) => !connecting)
    expect(always.map((runtime) => runtime.participantKind)).toEqual(['agent', 'human'])
    expect(await api().syncSource({ params: { sourceId: sources[0]!.sourceId } })).toMatchObject({
      unchanged: agents.length,
      added: 0,
    })
    await expect(api().syncSource({ params: { sourceId: 'nowhere' } })).rejects.toMatchObject({
      code: 'source_not_found',
    })
  })

  test('[RG47] a patch that changes nothing sends no event', async () => {
    const agent = await api().createAgent({ body: { name: 'Same', personalityConfig: { role: 'x' } } })
    const before = (await api().getStatus({})).lastEventId
    const body = { name: 'Same', personalityConfig: { role: 'x' }, teamId: null }
    expect(await api().updateAgent({ params: { agentId: agent.id }, body })).toEqual(agent)
    expect((await api().getStatus({})).lastEventId).toBe(before)
  })

  test('[RG37] recognises its tag when a proxy has weakened it, and in a list', async () => {
    const tag = (await getFleet()).headers.get('etag')!
    for (const header of [`W/${tag}`, `"other", ${tag}`, '*']) {
      expect((await getFleet({ 'if-none-match': header })).status).toBe(304)
    }
  })
})

test('[RG37] the tag of one database does not match on another', async () => {
  const tagOf = async (name: string) => {
    const server = await startServer()
    await server.client.createAgent({ body: { name } })
    const answer = await fetch(`${server.url}/api/agents`, { headers: { authorization: `Bearer ${server.token}` } })
    await server.stop()
    await removeHome(server.home)
    return answer.headers.get('etag')
  }
  expect(await tagOf('Ada')).not.toBe(await tagOf('Bob'))
})
