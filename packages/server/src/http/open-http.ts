import type { Access } from '../access/open-access.ts'
import { createRequestGuard } from '../access/request-guard.ts'
import type { Board } from '../board/open-board.ts'
import type { Attention } from '../executor/attention/attention.ts'
import type { Executor } from '../executor/open-executor.ts'
import type { TaskWork } from '../executor/open-task-work.ts'
import type { EventFeed } from '../live/event-feed.ts'
import type { EventLog } from '../live/event-log.ts'
import type { Log } from '../log.ts'
import type { McpServers } from '../mcp/mcp-servers.ts'
import { type DemoTeamDependencies, makeDemoTeam } from '../registry/demo-team.ts'
import type { Registry } from '../registry/open-registry.ts'
import type { Rooms, TeamChat } from '../team-chat/open-team-chat.ts'
import type { Tools } from '../tools/open-tools.ts'
import { createApp } from './app.ts'
import { type Credentials, createCredentials } from './credentials.ts'
import type { Listening } from './listen.ts'
import { createMcpCallers } from './mcp-callers.ts'
import { accessRoutes } from './routes/access.ts'
import { agentRoutes, workspaceRoutes } from './routes/agents.ts'
import { attentionRoutes } from './routes/attention.ts'
import { boardRoutes } from './routes/board.ts'
import { conversationRoutes } from './routes/conversations.ts'
import { mcpRoutes } from './routes/mcp.ts'
import { providerRoutes } from './routes/providers.ts'
import { limitRoutes, runRoutes } from './routes/runs.ts'
import { type RuntimeRouteDependencies, runtimeRoutes } from './routes/runtimes.ts'
import { sourceRoutes } from './routes/sources.ts'
import { type SystemRouteDependencies, systemRoutes } from './routes/system.ts'
import { teamChatRoutes } from './routes/team-chat.ts'
import { teamRoutes } from './routes/teams.ts'
import { toolRoutes } from './routes/tools.ts'

interface HttpOptions {
  /** The host as it appears in an address of this machine. */
  readonly host: string
  /** The public https address in front of this server; null = none. */
  readonly publicUrl: URL | null
  readonly identity: SystemRouteDependencies['identity']
  /** The address of this server on this machine. */
  readonly ownUrl: string
  readonly processes: { readonly confinement: SystemRouteDependencies['confinement'] }
  readonly listening: Listening
  readonly events: EventLog
  readonly feed: EventFeed
  readonly log: Log
  readonly pageFolder: string
  readonly domains: {
    readonly access: Access
    readonly attention: Attention
    readonly integrations: RuntimeRouteDependencies
    readonly registry: Registry
    readonly board: Board
    readonly rooms: Rooms
    readonly tools: Tools
    readonly mcp: McpServers
    readonly executor: Executor
    readonly teamChat: TeamChat
    readonly taskWork: TaskWork
  }
}

/** The HTTP interface and the page. */
export function openHttp(options: HttpOptions) {
  const { host, publicUrl, listening, feed, log, domains } = options
  const { access, executor, mcp } = domains
  const { token, signIn, grants } = access
  const pageUrl = publicUrl?.origin ?? options.ownUrl
  const credentials = createCredentials(token, signIn, grants, { port: listening.port, secure: publicUrl !== null })
  token.onRotate(() => {
    grants.revokeAll('token_rotated').catch((error: unknown) => log.error('grants were not revoked', { error }))
    feed.cutAll()
    executor.streams.cutAll()
  })
  const app = createApp({
    handlers: { ...domainRoutes(domains), ...hostRoutes(options, credentials, pageUrl) },
    credentials,
    mcp: { servers: mcp, identify: createMcpCallers(grants, credentials) },
    pageFolder: options.pageFolder,
    log,
  })
  const guard = createRequestGuard({ host, port: listening.port, publicUrl })
  return {
    pageUrl,
    /** Answers requests from now on. */
    serve: () => listening.serve(app, guard),
    /** Ends the feeds, which would otherwise stay open. */
    close() {
      feed.close()
      executor.streams.close()
    },
  }
}

type Domains = HttpOptions['domains']

function domainRoutes({ registry, board, rooms, executor, taskWork, teamChat, attention }: Domains) {
  const { agents, files, fleet, teams, projects, connections } = registry
  const { tasks, view } = board
  const { conversations, history, limits, workspaces } = executor
  const { dispatch, reviews } = taskWork
  return {
    ...agentRoutes({ agents, files, fleet }),
    ...teamRoutes({ teams, projects }),
    ...sourceRoutes({ fleet, connections }),
    ...boardRoutes({ view, tasks, dispatch, reviews }),
    ...teamChatRoutes({ rooms: rooms.posts, exchanges: teamChat.exchanges }),
    ...conversationRoutes({ agents, conversations }),
    ...workspaceRoutes({ workspaces }),
    ...runRoutes({ runs: history, conversations }),
    ...attentionRoutes({ attention }),
    ...limitRoutes({ limits }),
  }
}

function hostRoutes(options: HttpOptions, credentials: Credentials, pageUrl: string) {
  const { domains, identity, ownUrl, processes, events, feed } = options
  const { access, integrations, registry, executor, mcp, tools } = domains
  const { token, signIn, audit } = access
  return {
    ...providerRoutes({
      providers: executor.providers,
      makeDemoTeam: () => makeDemoTeam(demoTeamParts(domains)),
    }),
    ...runtimeRoutes(integrations),
    ...mcpRoutes({ names: mcp.names, serverUrl: ownUrl, runtimes: integrations.runtimes }),
    ...toolRoutes({ registry: tools.registry }),
    ...accessRoutes({ token, signIn, audit, credentials, pageUrl }),
    ...systemRoutes({ identity, counts: () => registry.fleet.counts(), ...processes, log: events, feed }),
  }
}

function demoTeamParts({ registry, taskWork, teamChat, executor }: Domains): DemoTeamDependencies {
  return {
    agents: registry.agents,
    teams: registry.teams,
    projects: registry.projects,
    makeProject: taskWork.makeProject,
    letReportsWake: (teamId) => teamChat.exchanges.configure(teamId, { wakesLeader: true }),
    model: executor.providers.demoModel,
  }
}
