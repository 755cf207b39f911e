import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ClawbooError } from '@clawboo/core'
import { RuntimeRegistry } from '@clawboo/core/executor'
import { AgentRegistry, agentRole, OWN_SOURCE_ID, type RuntimeId } from '@clawboo/core/registry'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { removeHome, temporaryHome } from '../../../../test/server-process.ts'
import { containedFiles } from '../access/contained-path.ts'
import { secretsByIntegration } from '../access/integration-secrets.ts'
import { useRecords } from '../executor/test-records.ts'
import { checkPersonalityConfig } from '../integrations/host-config.ts'
import { integrations } from '../integrations/index.ts'
import { testProcesses } from '../processes/test-processes.ts'
import { settingsUnder } from '../store/repositories/server/settings-repository.ts'
import { testEngines } from '../store/test-stores.ts'
import { type Agents, createAgents } from './agents.ts'
import { type DemoTeamDependencies, makeDemoTeam } from './demo-team.ts'
import { createOwnSource } from './own-source/own-source.ts'
import { createSourceRecords } from './source-records.ts'
import { createTeamProjects, type TeamProjects } from './team-projects.ts'
import { createTeams, type Teams } from './teams.ts'

const [integration] = integrations

describe.each(testEngines())('the demo team on $engine', ({ createDatabase }) => {
  const records = useRecords(createDatabase)
  let home: string
  let agents: Agents
  let teams: Teams
  let projects: TeamProjects
  const woken: string[] = []
  const dependencies = (more: Partial<DemoTeamDependencies> = {}): DemoTeamDependencies => ({
    agents,
    teams,
    projects,
    model: 'demo/boo',
    async makeProject(teamId) {
      const folder = join(home, 'projects', teamId)
      await mkdir(folder, { recursive: true })
      return { folder, discard: () => rm(folder, { recursive: true }) }
    },
    letReportsWake: async (teamId) => void woken.push(teamId),
    ...more,
  })
  beforeAll(async () => {
    home = await temporaryHome()
    const { store, record } = records()[0]!
    const recordsOf = (sourceId: RuntimeId) => createSourceRecords(sourceId, store, record)
    const registry = new AgentRegistry()
    const files = containedFiles(home, { maxBytes: 1024 * 1024 })
    const { runtimes: catalogue } = integration!.open({
      records: recordsOf(integration!.id),
      files,
      homeFolder: home,
      secrets: secretsByIntegration(home, null)(integration!.id),
      settings: settingsUnder(`integration:${integration!.id}:`, store.settings),
      machine: { environment: {}, userHome: home, timeZone: 'UTC' },
      processes: testProcesses(),
      now: Date.now,
    })
    const runtimes = new RuntimeRegistry()
    runtimes.follow(catalogue!)
    const checkPersonality = async (config: unknown) => checkPersonalityConfig(config)
    const own = recordsOf(OWN_SOURCE_ID)
    registry.register(
      createOwnSource({ records: own, runtimes, filesOf: () => files, checkPersonality, now: Date.now }),
    )
    agents = createAgents({ store, registry, recordsOf, runtimes })
    teams = createTeams(store, record, async () => null)
    projects = createTeamProjects({ store, record, home })
  })
  afterAll(() => removeHome(home))

  it('[RU50] three Boos with a role and files run the model without a key, under a free team name each time', async () => {
    const first = await makeDemoTeam(dependencies())
    const second = await makeDemoTeam(dependencies())
    expect((await teams.list()).map(({ name }) => name)).toEqual(['Demo team', 'Demo team 2'])
    const { memberIds, team } = await teams.get(first.teamId)
    expect([memberIds.toSorted(), team.leadAgentId]).toEqual([first.agentIds.toSorted(), first.agentIds[0]])
    const members = await Promise.all(first.agentIds.map((id) => agents.get(id)))
    expect(members.map((agent) => [agent.displayName, agentRole(agent)])).toEqual([
      ['Pip', 'Planner'],
      ['Moss', 'Builder'],
      ['Wren', 'Reviewer'],
    ])
    const { agentFiles } = records()[0]!.store
    for (const agent of members) {
      expect(agent.execConfig).toEqual({ model: 'demo/boo' })
      expect((await agentFiles.latest(agent.id, 'SOUL.md'))?.content).toContain(agent.displayName)
      expect((await agentFiles.latest(agent.id, 'AGENTS.md'))?.content).not.toBe('')
    }
    for (const id of [...first.agentIds, ...second.agentIds]) await agents.remove(id)
    for (const id of [first.teamId, second.teamId]) await teams.remove(id)
  })

  it('[RU52] has a project with a check in the home folder if one can be created, and reports wake its leader', async () => {
    const made = await makeDemoTeam(dependencies())
    expect(await projects.get(made.teamId)).toMatchObject({
      folder: join(home, 'projects', made.teamId),
      kind: 'folder',
    })
    expect((await projects.get(made.teamId)).checkCommand).toContain('-empty')
    expect(woken.at(-1)).toBe(made.teamId)
    const without = await makeDemoTeam(dependencies({ makeProject: async () => null }))
    expect(await projects.get(without.teamId)).toEqual({ folder: null, checkCommand: null, kind: 'none' })
    for (const { teamId, agentIds } of [made, without]) {
      for (const id of agentIds) await agents.remove(id)
      await teams.remove(teamId)
    }
  })

  it('[RU51] removes the whole team when a Boo or the project cannot be created', async () => {
    let made = 0
    const create: Agents['create'] = (input) => {
      made += 1
      if (made === 3) throw new ClawbooError('store_unavailable', 'the database went away')
      return agents.create(input)
    }
    await expect(makeDemoTeam(dependencies({ agents: { ...agents, create } }))).rejects.toMatchObject({
      code: 'store_unavailable',
    })
    expect(made).toBe(3)
    expect(await teams.list()).toEqual([])
    expect(await records()[0]!.store.agents.listAll({ includeArchived: true })).toEqual([])
    const set = async () => {
      throw new ClawbooError('store_unavailable', 'the database went away')
    }
    const before = await readdir(join(home, 'projects'))
    await expect(makeDemoTeam(dependencies({ projects: { set } }))).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(await readdir(join(home, 'projects'))).toEqual(before)
    expect(await records()[0]!.store.agents.listAll({ includeArchived: true })).toEqual([])
    await expect(makeDemoTeam(dependencies({ model: null }))).rejects.toMatchObject({ code: 'model_unknown' })
    expect(await teams.list()).toEqual([])
  })
})
