import { ClawbooError } from '@clawboo/core'
import type { Capabilities, HostToolAnswer, HostTools } from '@clawboo/core/executor'
import { roomIdOf } from '@clawboo/core/team-chat'
import type { GrantBinding, Grants } from '../../access/grants.ts'

export type RunTools = ReturnType<typeof createRunTools>

export interface RunOfTools {
  readonly runId: string
  readonly agentId: string
  /** On whose board it acts, and in whose room it speaks. */
  readonly teamId: string | null
  /** The task it works on; null = it was spoken to. */
  readonly taskId: string | null
}

export interface OpenedTools {
  readonly hostTools: HostTools
  /** Whatever of it the run still has is of no use from here on. */
  close(): Promise<void>
}

/** The MCP servers of this process, as far as a run needs them. */
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

/** What the host offers runs beside their runtimes' own tools. */
export function createRunTools(options: {
  readonly servers: ToolServers
  readonly grants: Pick<Grants, 'issue' | 'revoke'>
  /** Where this server is reached from the same machine. */
  readonly url: string
}) {
  const { servers, grants, url } = options
  return {
    /** null for a runtime that takes none. */
    async open({ runId, agentId, teamId, taskId }: RunOfTools, claims: Pick<Capabilities, 'mcp'>) {
      if (!claims.mcp) return null
      const tools = await servers.toolNames()
      const roomId = teamId === null ? null : roomIdOf(teamId)
      const binding: GrantBinding = { runId, agentId, teamId, roomId, taskId, tools }
      const attached = await servers.attach({ kind: 'run', ...binding })
      let issued: ReturnType<Grants['issue']> | null = null
      let isClosed = false
      const hostTools: HostTools = {
        tools: attached.tools.map(({ name, description, inputSchema, isReadOnly }) => ({
          ...{ name, description, inputSchema, isReadOnly },
        })),
        async call(call) {
          const answer = isClosed ? null : await attached.call(call)
          return answer && plainAnswer(answer)
        },
        servers: servers.names.map((name) => ({ name, url: `${url}/api/mcp/${name}${saidInAddress(name, binding)}` })),
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
          // One that could not be given out is not there to be revoked.
          if (issued && (await issued.catch(() => null))) await grants.revoke({ runId }, 'run_ended')
        },
      }
    },
  }
}

/** Who speaks in which room, for a person to read: without the grant it opens nothing, and it cannot say otherwise. */
function saidInAddress(server: string, { teamId, agentId }: GrantBinding): string {
  if (server !== ROOM_SERVER || teamId === null) return ''
  return `?${new URLSearchParams({ roomTeamId: teamId, postAuthorAgentId: agentId })}`
}

const ROOM_SERVER = 'teamchat'

function plainAnswer({ content, isError }: ToolServerAnswer): HostToolAnswer {
  const texts = content.map(({ type, text }) => (typeof text === 'string' ? text : `[${type}]`))
  return { text: texts.join('\n'), isError: isError === true }
}
