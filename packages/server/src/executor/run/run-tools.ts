import { ClawbooError } from '@clawboo/core'
import type { HostToolAnswer, HostTools, RuntimeAdapter } from '@clawboo/core/executor'
import { roomIdOf } from '@clawboo/core/team-chat'
import type { GrantBinding, Grants } from '../../access/grants.ts'

/** The host's tools for runs, beside the runtimes' own. */
export interface RunTools {
  /** null for a runtime that cannot use them. */
  open(run: RunBinding, adapter: RuntimeAdapter): Promise<OpenedTools | null>
}

export interface RunBinding {
  readonly runId: string
  readonly agentId: string
  /** The team whose board and room the run acts in. */
  readonly teamId: string | null
  /** The task of an attempt; null = the run has none. */
  readonly taskId: string | null
}

export interface OpenedTools {
  readonly hostTools: HostTools
  /** Disables the tools and revokes the run's credential. */
  close(): Promise<void>
}

/** The part of this process's MCP servers that a run needs. */
export interface ToolServers {
  readonly names: readonly string[]
  toolNames(): Promise<readonly string[]>
  attach(caller: GrantBinding & { readonly kind: 'run' }): Promise<{
    readonly tools: HostTools['tools']
    call(call: Parameters<HostTools['call']>[0]): Promise<ToolServerAnswer | null>
  }>
}

export interface ToolServerAnswer {
  readonly content: readonly { readonly type: string; readonly text?: unknown }[]
  readonly isError?: boolean
}

export function createRunTools(options: {
  readonly servers: ToolServers
  readonly grants: Pick<Grants, 'issue' | 'revoke'>
  /** The address of this server on the same machine. */
  readonly url: string
}): RunTools {
  const { servers, grants, url } = options
  return {
    async open({ runId, agentId, teamId, taskId }, adapter) {
      if (!adapter.capabilities().mcp) return null
      const tools = await servers.toolNames()
      const roomId = teamId === null ? null : roomIdOf(teamId)
      const binding: GrantBinding = { runId, agentId, teamId, roomId, taskId, tools }
      const attached = await servers.attach({ kind: 'run', ...binding })
      let issued: ReturnType<Grants['issue']> | null = null
      let isClosed = false
      const hostTools: HostTools = {
        tools: attached.tools.map(({ name, description, inputSchema, isReadOnly }) => ({
          name,
          description,
          inputSchema,
          isReadOnly,
        })),
        async call(call) {
          const answer = isClosed ? null : await attached.call(call)
          return answer && plainAnswer(answer)
        },
        servers: servers.names.map((name) => ({ name, url: `${url}/api/mcp/${name}${queryFor(name, binding)}` })),
        async credential() {
          if (isClosed) throw new ClawbooError('grant_refused', 'the run has ended')
          issued ??= grants.issue(binding)
          return (await issued).secret
        },
      }
      return {
        hostTools,
        async close() {
          isClosed = true
          // A credential that could not be issued needs no revocation.
          if (issued && (await issued.catch(() => null))) await grants.revoke({ runId }, 'run_ended')
        },
      }
    },
  }
}

/** Author and room, for a person who reads the address. Only the grant has an effect; the query cannot contradict it. */
function queryFor(server: string, { teamId, agentId }: GrantBinding): string {
  if (server !== ROOM_SERVER || teamId === null) return ''
  return `?${new URLSearchParams({ roomTeamId: teamId, postAuthorAgentId: agentId })}`
}

const ROOM_SERVER = 'teamchat'

function plainAnswer({ content, isError }: ToolServerAnswer): HostToolAnswer {
  const texts = content.map(({ type, text }) => (typeof text === 'string' ? text : `[${type}]`))
  return { text: texts.join('\n'), isError: isError === true }
}
