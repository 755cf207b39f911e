import type { HostTools, StartOptions } from '@clawboo/core/executor'
import { describe, expect, it } from 'vitest'
import { createGrants } from '../../access/grants.ts'
import type { RunCaller } from '../../mcp/caller.ts'
import { createMcpServers } from '../../mcp/mcp-servers.ts'
import { newRun } from '../../store/contract/runs-contract.ts'
import { createSqliteDatabase } from '../../store/test-stores.ts'
import { makeTeam, startServer, testRuntime } from '../dispatch/test-dispatch.ts'
import { useRecords } from '../test-records.ts'
import { createRunTools } from './run-tools.ts'

describe('The host’s tools of a run', () => {
  const records = useRecords(createSqliteDatabase)

  /** A server with one tool, which returns its caller. */
  const open = async (claims?: Parameters<typeof testRuntime>[0]) => {
    const { store, log } = records()[0]!
    const grants = createGrants(store)
    const table = async () => (await import('../../mcp/test-fixture-table.ts')).createFixtureTable()
    const servers = createMcpServers({ fixture: table }, grants, log)
    const attached: RunCaller[] = []
    const tools = createRunTools({
      servers: {
        ...servers,
        attach(caller) {
          attached.push(caller)
          return servers.attach(caller)
        },
      },
      grants,
      url: 'http://127.0.0.1:9',
    })
    const offered: { tools: HostTools | undefined; credential: string | null }[] = []
    const atStart = async ({ hostTools }: StartOptions) => {
      offered.push({ tools: hostTools, credential: (await hostTools?.credential()) ?? null })
    }
    const runtime = testRuntime(claims, atStart)
    const team = await makeTeam(records()[0]!)
    const server = await startServer(records()[0]!, { runtimesOf: [runtime], tools })
    return { grants, attached, offered, runtime, team, server }
  }
  const HELD = [{ callTool: 'held' }] as const

  it('[DI15] the tools and the credential of a task’s run are bound to that run and end with it', async () => {
    const { grants, attached, offered, runtime, team, server } = await open()
    const { id } = await team.make(server, [...HELD])
    await team.when(() => offered.length === 1)
    const { tools, credential } = offered[0]!
    const { runId } = runtime.started[0]!.options
    expect(attached).toEqual([
      {
        kind: 'run',
        ...{ runId, agentId: team.agentId, teamId: team.teamId, roomId: `team:${team.teamId}`, taskId: id },
        tools: tools!.tools.map(({ name }) => name),
      },
    ])
    expect(tools!.tools.length).toBeGreaterThan(0)
    expect(tools!.servers).toEqual([{ name: 'fixture', url: 'http://127.0.0.1:9/api/mcp/fixture' }])
    const check = await grants.use(credential!)
    expect(check).toMatchObject({ state: 'live', grant: { runId, agentId: team.agentId, taskId: id } })
    expect(await tools!.credential()).toBe(credential)
    const call = { name: tools!.tools[0]!.name, args: {}, signal: AbortSignal.timeout(5_000) }
    expect(await tools!.call(call)).toMatchObject({ text: expect.any(String) })
    expect(await tools!.call({ ...call, name: 'no_such_tool' })).toBeNull()
    runtime.release()
    await team.until(id, 'in_review')
    expect(await grants.use(credential!)).toMatchObject({ state: 'dead' })
    expect(await tools!.call(call)).toBeNull()
    await expect(tools!.credential()).rejects.toMatchObject({ code: 'grant_refused' })
  })

  it('[DI15] a run of a conversation has the tools without a task', async () => {
    const { attached, offered, team, server } = await open()
    await server.conversations.send({ agentId: team.agentId, text: 'hello' })
    await team.when(() => offered.length === 1)
    expect(offered[0]!.tools!.tools.length).toBeGreaterThan(0)
    expect(attached).toMatchObject([{ agentId: team.agentId, teamId: team.teamId, taskId: null }])
  })

  it('[TC78] a run of a team is bound to its room, and the address of the room’s server names the room and the agent', async () => {
    const { store } = records()[0]!
    const grants = createGrants(store)
    const names = ['tasks', 'teamchat']
    const attach = async () => ({ tools: [], call: async () => null })
    const tools = createRunTools({
      servers: { names, toolNames: async () => ['team_chat_post'], attach },
      grants,
      url: 'http://127.0.0.1:9',
    })
    const team = await makeTeam(records()[0]!)
    const { adapter } = testRuntime()
    const bound = { runId: 'bound', agentId: team.agentId, taskId: null }
    for (const [runId, teamId] of [
      ['bound', team.teamId],
      ['alone', null],
    ] as const) {
      await store.runs.insert(newRun(runId, { agentId: team.agentId, teamId }))
      const opened = await tools.open({ ...bound, runId, teamId }, adapter.claims)
      const query = teamId === null ? '' : `?roomTeamId=${teamId}&postAuthorAgentId=${team.agentId}`
      expect(opened!.hostTools.servers.map(({ url }) => url)).toEqual([
        'http://127.0.0.1:9/api/mcp/tasks',
        `http://127.0.0.1:9/api/mcp/teamchat${query}`,
      ])
      const check = await grants.use(await opened!.hostTools.credential())
      expect(check.grant).toMatchObject({ teamId, roomId: teamId === null ? null : `team:${teamId}` })
      await opened!.close()
    }
  })

  it('[DI15] a runtime that accepts no tools gets none', async () => {
    const { attached, offered, team, server } = await open({ asksBeforeModelCall: true, runtimeClass: 'native' })
    const { id } = await team.make(server)
    await team.until(id, 'in_review')
    expect({ attached, offered }).toEqual({ attached: [], offered: [{ tools: undefined, credential: null }] })
  })
})
