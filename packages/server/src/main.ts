import { randomUUID } from 'node:crypto'
import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { ClawbooError } from '@clawboo/core'
import type { RuntimeId } from '@clawboo/core/registry'
import { createAudit } from './access/audit.ts'
import { createGrants } from './access/grants.ts'
import { secretsByIntegration } from './access/integration-secrets.ts'
import { openOperatorToken } from './access/operator-token.ts'
import { createRequestGuard } from './access/request-guard.ts'
import { createSignIn } from './access/sign-in.ts'
import { createBoardLines } from './board/board-lines.ts'
import { createBoardView } from './board/board-view.ts'
import { createClaims } from './board/claims.ts'
import { createReports } from './board/reports.ts'
import { createTasks } from './board/tasks.ts'
import { membersOf } from './board/team-members.ts'
import { ownHost, readConfig, readMachine } from './config.ts'
import { createAttention } from './executor/attention.ts'
import { createDispatcher } from './executor/dispatch/dispatcher.ts'
import { createRunVerdicts } from './executor/dispatch/run-verdicts.ts'
import { driveConversations } from './executor/drive-conversations.ts'
import { endOrphans } from './executor/end-orphans.ts'
import { createLimits } from './executor/limits.ts'
import { createMessages } from './executor/messages.ts'
import { createOutsideApprovals } from './executor/outside-approvals.ts'
import { ownProjects } from './executor/own-projects.ts'
import { createPersonDesk } from './executor/person-desk.ts'
import { createPersonTasks } from './executor/person-tasks.ts'
import { createRunInputs } from './executor/prepare-run-input.ts'
import { createProviderSettings } from './executor/provider-settings.ts'
import { createRunStreams } from './executor/run-streams.ts'
import { createRunTools } from './executor/run-tools.ts'
import { createRuns } from './executor/runs.ts'
import { settleDeadRuns } from './executor/settle-dead-runs.ts'
import { createWorkplaceReviews } from './executor/workplace-reviews.ts'
import { createWorkplaceTurns } from './executor/workplace-turns.ts'
import { createWorkspaces } from './executor/workspaces.ts'
import { openWorktrees } from './executor/worktrees/worktrees.ts'
import { homeFiles, makeHome, readHomeId, removeServerNote, writeServerNote } from './home.ts'
import { createApp } from './http/app.ts'
import { createCredentials } from './http/credentials.ts'
import { listen } from './http/listen.ts'
import { createMcpCallers } from './http/mcp-callers.ts'
import { loadOperations } from './http/operation-handler.ts'
import { accessRoutes } from './http/routes/access.ts'
import { agentRoutes } from './http/routes/agents.ts'
import { attentionRoutes } from './http/routes/attention.ts'
import { boardRoutes } from './http/routes/board.ts'
import { conversationRoutes } from './http/routes/conversations.ts'
import { limitRoutes } from './http/routes/limits.ts'
import { mcpRoutes } from './http/routes/mcp.ts'
import { providerRoutes } from './http/routes/providers.ts'
import { runRoutes } from './http/routes/runs.ts'
import { runtimeRoutes } from './http/routes/runtimes.ts'
import { sourceRoutes } from './http/routes/sources.ts'
import { systemRoutes } from './http/routes/system.ts'
import { taskRoutes } from './http/routes/tasks.ts'
import { teamChatRoutes } from './http/routes/team-chat.ts'
import { teamRoutes } from './http/routes/teams.ts'
import { toolRoutes } from './http/routes/tools.ts'
import { workspaceRoutes } from './http/routes/workspace.ts'
import { findInstallation } from './installation.ts'
import { createEventFeed } from './live/event-feed.ts'
import { openEventLog } from './live/event-log.ts'
import { createLog } from './log.ts'
import { createMcpServers } from './mcp/mcp-servers.ts'
import { createMemories } from './memory/memories.ts'
import { openIntegrations } from './open-integrations.ts'
import { createAgentFiles } from './registry/agent-files.ts'
import { createAgents } from './registry/agents.ts'
import { makeDemoTeam } from './registry/demo-team.ts'
import { createFleet } from './registry/fleet.ts'
import { followSources } from './registry/follow-sources.ts'
import { createRecordChange } from './registry/record-change.ts'
import { createSourceConnections } from './registry/source-connections.ts'
import { createSourceRecords } from './registry/source-records.ts'
import { createTeamProjects } from './registry/team-projects.ts'
import { createTeams } from './registry/teams.ts'
import { openStore } from './store/open-store.ts'
import { takeHomeLock } from './store/sqlite/home-lock.ts'
import { createBoardNarration } from './team-chat/board-narration.ts'
import { createExchanges } from './team-chat/exchanges.ts'
import { createRoomPosts } from './team-chat/room-posts.ts'
import { createToolBroker } from './tools/tool-broker.ts'
import { createToolRegistry } from './tools/tool-registry.ts'
import { createToolServerClient } from './tools/tool-server-client.ts'
import { VERSION } from './version.ts'

const SHUTDOWN_GRACE_MS = 3_000
/** First answers first: what no request has asked for by then is loaded. */
const LOAD_REST_MS = 250

/** The whole system: read this and you have seen every part and what it depends on. */
async function main(): Promise<void> {
  const config = readConfig(process.env)
  const log = createLog(config.logLevel)
  const files = homeFiles(config.home)
  await makeHome(config.home)
  const lock = takeHomeLock(files.lock)
  if (!lock) {
    throw new ClawbooError(
      'server_running',
      `a server already runs with the home ${config.home}; \`clawboo status\` says where`,
    )
  }
  const [store, token, listening, homeId] = await Promise.all([
    openStore({ sqliteFile: files.database, databaseUrl: config.databaseUrl ?? undefined }),
    openOperatorToken(config.home),
    listen({ host: config.host, port: config.port, searchOn: config.portIsDefault }),
    readHomeId(config.home),
  ])
  const eventLog = await openEventLog(store)
  const feed = createEventFeed(eventLog)
  const record = createRecordChange(store, eventLog)
  const interrupted = await settleDeadRuns(record, homeId)

  const recordsOf = (sourceId: RuntimeId) => createSourceRecords(sourceId, store, record)
  const secretsOf = secretsByIntegration(config.home, config.masterKey)
  const machine = readMachine(process.env)
  const attention = createAttention({ store, record, log })
  const desk = createPersonDesk(attention)
  const approvals = createOutsideApprovals({ store, record, attention })
  const hosts = { store, recordsOf, secretsOf, runtimesFolder: files.runtimes, machine, desk }
  const opened = openIntegrations({ ...hosts, approvalsOf: approvals.of })
  const { sources: registry, runtimes, connections: upstreams, toolPolicies } = opened
  const fleet = createFleet(store, registry, (id) => ({
    label: opened.sourceLabel(id),
    connectable: upstreams.has(id),
    hasToolPolicy: toolPolicies.has(id),
  }))
  const beforeRemove = (agentId: string) => conversations.forget(agentId)
  const agents = createAgents({ store, registry, recordsOf, runtimes, beforeRemove })
  const connections = createSourceConnections({ registry, connections: upstreams, toolPolicies, record, beforeRemove })
  const teams = createTeams(store, record, fleet.booZeroId)
  const limits = createLimits(store, record)
  const providers = createProviderSettings(opened.modelProviders, record, log)
  const streams = createRunStreams()
  const signIn = createSignIn(token)
  const grants = createGrants(store)
  const memories = createMemories(store)

  const lines = createBoardLines(log)
  const board = { store, record, lines }
  const tasks = createTasks(board)
  const leaderOf = async (teamId: string) => (await teams.get(teamId)).leaderId
  const rooms = createRoomPosts({ store, record, leaderOf, chainOf: (runId) => exchanges.chainOf(runId) })
  const view = createBoardView(store)
  const verdicts = createRunVerdicts()
  const outside = createToolServerClient()
  const toolRegistry = createToolRegistry({ store, client: outside, ownTools: () => mcp.toolNames() })
  const broker = createToolBroker({ store, registry: toolRegistry, client: outside, audit: createAudit(store) })
  const mcp = createMcpServers(
    {
      tasks: async () =>
        (await import('./mcp/tables/tasks-table.ts')).createTasksTable({
          tasks,
          view,
          members: membersOf(store),
          verdicts,
        }),
      memory: async () => (await import('./mcp/tables/memory-table.ts')).createMemoryTable(memories),
      tools: async () => (await import('./mcp/tables/tools-table.ts')).createToolsTable(broker),
      teamchat: async () => (await import('./mcp/tables/teamchat-table.ts')).createTeamchatTable({ rooms, grants }),
    },
    grants,
    log,
  )
  const host = ownHost(config.host)
  const ownUrl = `http://${host}:${listening.port}`
  const tools = createRunTools({ servers: mcp, grants, url: ownUrl })
  const inputs = createRunInputs({ store, runtimesFolder: files.runtimes })
  const parts = { store, record, runtimes, attention, limits, streams, log, instance: homeId, inputs, tools }
  const conversations = driveConversations(parts)
  const worktrees = await openWorktrees({ root: files.worktrees, path: machine.environment.PATH ?? '' })
  const turns = createWorkplaceTurns()
  const dispatch = createDispatcher({
    ...parts,
    tasks,
    claims: createClaims({ ...board, instance: homeId }),
    reports: createReports(board),
    lines,
    worktrees,
    turns,
    workplaces: files.worktrees,
    slots: conversations.slots,
    verdicts,
  })
  const exchanges = createExchanges({ ...parts, teams, slots: conversations.slots })
  const narration = createBoardNarration({ store, record, lines, log, signals: exchanges.signals })
  const personTasks = createPersonTasks({ ...board, attention, events: eventLog, log })
  const reviews = createWorkplaceReviews({ store, tasks, worktrees, turns, instance: homeId })
  token.onRotate(() => {
    grants.revokeAll('token_rotated').catch((error: unknown) => log.error('grants could not be written off', { error }))
    feed.cutAll()
    streams.cutAll()
  })

  const pageUrl = config.publicUrl?.origin ?? ownUrl
  const own = { port: listening.port, secure: config.publicUrl !== null }
  const credentials = createCredentials(token, signIn, grants, own)
  const identity = { version: VERSION, instance: randomUUID(), startedAt: Date.now(), home: config.home }
  const projects = createTeamProjects({ store, record, home: config.home })
  const makeProject = ownProjects({ worktrees, folder: files.projects, log })
  const letReportsWake = (teamId: string) => exchanges.configure(teamId, { wakesLeader: true })
  const demoTeam = { agents, teams, projects, makeProject, letReportsWake }
  const handlers = {
    ...agentRoutes({ agents, files: createAgentFiles(store, agents), fleet }),
    ...teamRoutes({ teams, projects }),
    ...boardRoutes({ view, tasks, dispatch }),
    ...taskRoutes({ view, tasks, dispatch, reviews }),
    ...teamChatRoutes({ rooms, exchanges }),
    ...conversationRoutes({ agents, conversations, messages: createMessages(store) }),
    ...workspaceRoutes({ workspaces: createWorkspaces(store, runtimes) }),
    ...runRoutes({ runs: createRuns(store, streams.entriesOf), conversations }),
    ...attentionRoutes({ attention }),
    ...limitRoutes({ limits }),
    ...providerRoutes({ providers, makeDemoTeam: () => makeDemoTeam({ ...demoTeam, model: providers.demoModel }) }),
    ...sourceRoutes({ fleet, connections }),
    ...runtimeRoutes({ runtimes }),
    ...mcpRoutes({ names: mcp.names, serverUrl: ownUrl, runtimes }),
    ...toolRoutes({ registry: toolRegistry }),
    ...accessRoutes({ token, signIn, audit: createAudit(store), credentials, pageUrl }),
    ...systemRoutes({ identity, counts: () => fleet.counts(), log: eventLog, feed }),
  }
  const mcpRoute = { servers: mcp, identify: createMcpCallers(grants, credentials) }
  const app = createApp({ handlers, credentials, mcp: mcpRoute, pageFolder: findInstallation().page, log })
  const isRunning = (agentId: string) => conversations.slots.live().some((live) => live.agentId === agentId)
  // Before the first request: a new message must not overtake what was accepted before.
  await endOrphans({ store, runtimes, log }, interrupted)
  await conversations.recover()
  await exchanges.start()
  await narration.start()
  await dispatch.start()
  await personTasks.start()
  await approvals.start()
  listening.serve(app, createRequestGuard({ host, port: listening.port, publicUrl: config.publicUrl }))
  const stopFollowing = await followSources({ registry, record, recordsOf, isRunning, log })
  await writeServerNote(config.home, { pid: process.pid, url: ownUrl, ...identity })
  greet(pageUrl, signIn.createCode().code)
  setTimeout(settleDown, LOAD_REST_MS).unref()
  log.info('started', { url: pageUrl, home: config.home, engine: store.db.engine })

  await shutdownSignal()
  log.info('stopping')
  feed.close()
  streams.close()
  await personTasks.close()
  await exchanges.close()
  await dispatch.close()
  await reviews.close()
  await conversations.close()
  await runtimes.dispose()
  await listening.close(SHUTDOWN_GRACE_MS)
  await mcp.close()
  await narration.close()
  await stopFollowing()
  attention.close()
  limits.close()
  await eventLog.close()
  await store.close()
  await removeServerNote(config.home)
  lock.release()
}

/**
 * Left to itself the heap spreads over free memory, to several times what is in use; but a heap that grows slowly makes
 * a start slow, and one that hardly grows is collected, and stands still, at every turn. Compiled code is kept first: it
 * is only taken back under the flags it was kept with.
 */
function settleDown(): void {
  flushCompileCache()
  setFlagsFromString('--heap-growing-percent=60')
  loadOperations()
}

function greet(pageUrl: string, code: string): void {
  process.stdout.write(`Clawboo ${VERSION} runs at ${pageUrl}\n`)
  process.stdout.write(`Sign in with this link (it works once): ${pageUrl}/sign-in#${code}\n`)
}

/** Keeps listening: a second signal, as a launcher may pass on, must not cut the shutdown short. Its length is bounded. */
function shutdownSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve())
  })
}

// A terminal or pipe that went away must not take the server with it.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

main().catch((error: unknown) => {
  // What the system refused is the person's to mend; anything else is our mistake and keeps its stack.
  if (!(error instanceof Error && 'code' in error)) throw error
  // Parts that did open, such as the port, would keep the process alive.
  process.stderr.write(`clawboo: ${error.message}\n`, () => process.exit(error.code === 'server_running' ? 3 : 1))
})
