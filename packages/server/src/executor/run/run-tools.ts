import { ClawbooError } from '@clawboo/core'
import type { Capabilities, HostToolAnswer, HostTools } from '@clawboo/core/executor'
import { roomIdOf } from '@clawboo/core/team-chat'
import type { GrantBinding, Grants } from '../../access/grants.ts'

export type RunTools = ReturnType<typeof createRunTools>

interface RunOfTools {
  readonly runId: string
  readonly agentId: string
  /** The team whose board and room the run uses. */
  readonly teamId: string | null
  /** The task that the run works on; null = it answers a message. */
  readonly taskId: string | null
}

export interface OpenedTools {
  readonly hostTools: HostTools
  /** Refuses every further call and revokes the credential. */
  close(): Promise<void>
}

/** The MCP servers of this process, as far as a run needs them. */
interface ToolServers {
  readonly names: readonly string[]
  toolNames(): Promise<readonly string[]>
  attach(caller: GrantBinding & { readonly kind: 'run' }): Promise<{
    readonly tools: HostTools['tools']
    call(call: Parameters<HostTools['call']>[0]): Promise<ToolServerAnswer | null>
  }>
}

interface ToolServerAnswer {
  readonly content: readonly { readonly type: string; readonly text?: unknown }[]
  readonly isError?: boolean
}

/** The host's tools for runs, in addition to their runtimes' own tools. */
export function createRunTools(options: {
  readonly servers: ToolServers
  readonly grants: Pick<Grants, 'issue' | 'revoke'>
  /** The address of this server on the same machine. */
  readonly url: string
}) {
  const { servers, grants, url } = options
  return {
    /** null for a runtime that accepts no tools. */
    async open({ runId, agentId, teamId, taskId }: RunOfTools, claims: Pick<Capabilities, 'mcp'>) {
      if (!claims.mcp) return null
      const tools = await servers.toolNames()
      const roomId = teamId === null ? null : roomIdOf(teamId)
      const binding: GrantBinding = { runId, agentId, teamId, roomId, taskId, tools }
      const attached = await servers.attach({ kind: 'run', ...binding })
      let issued: ReturnType<Grants['issue']> | null = null
      let isClosed = false
      const hostTools: HostTools = {
        tools: attached.tools.map(({ name, description, inputSchema, isReadOnly }) => {
          return { name, description, inputSchema, isReadOnly }
        }),
        async call(call) {
          const answer = isClosed ? null : await attached.call(call)
          return answer && plainAnswer(answer)
        },
        servers: servers.names.map((name) => ({ name, url: `${url}/api/mcp/${name}${roomQuery(name, binding)}` })),
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
          // A credential that could not be issued cannot be revoked.
          if (issued && (await issued.catch(() => null))) await grants.revoke({ runId }, 'run_ended')
        },
      }
    },
  }
}

/** Adds the speaker and the room to the address, for a person who reads it. Only the grant decides about both. */
function roomQuery(server: string, { teamId, agentId }: GrantBinding): string {
  if (server !== ROOM_SERVER || teamId === null) return ''
  return `?${new URLSearchParams({ roomTeamId: teamId, postAuthorAgentId: agentId })}`
}

const ROOM_SERVER = 'teamchat'

function plainAnswer({ content, isError }: ToolServerAnswer): HostToolAnswer {
  const texts = content.map(({ type, text }) => (typeof text === 'string' ? text : `[${type}]`))
  return { text: texts.join('\n'), isError: isError === true }
}
