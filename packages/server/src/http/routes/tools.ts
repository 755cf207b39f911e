import { ClawbooError } from '@clawboo/core'
import type { OutsideTool } from '../../tools/outside-tool.ts'
import type { ReadServer, ToolRegistry } from '../../tools/tool-registry.ts'
import type { Handlers } from '../app.ts'

/** These routes require the operator's credential. */
const OPERATOR = { kind: 'operator' } as const

/** Manages which outside tools agents may use. Agents reach approved tools only through MCP. */
export function toolRoutes({ registry }: { readonly registry: ToolRegistry }) {
  return {
    async listToolServers() {
      const [servers, tools] = [await registry.servers(), await registry.list()]
      return { servers: servers.map((server) => ({ ...plainServer(server), ...countStates(server.name, tools) })) }
    },
    getToolServer: ({ params }) => readServer(registry, params.serverName),
    async registerToolServer({ body }) {
      return readResult(registry, body.name, await registry.register(body, OPERATOR))
    },
    async refreshToolServer({ params: { serverName } }) {
      return readResult(registry, serverName, await registry.refresh(serverName))
    },
    removeToolServer: async ({ params }) => void (await registry.remove(params.serverName, OPERATOR)),
    approveTool: async ({ params, body }) => shownTool(await registry.approve(params.toolId, body, OPERATOR)),
    suspendTool: async ({ params, body }) =>
      shownTool(await registry.suspend(params.toolId, body.reason ?? '', OPERATOR)),
  } satisfies Partial<Handlers>
}

type Server = Awaited<ReturnType<ToolRegistry['servers']>>[number]

async function readServer(registry: ToolRegistry, name: string, tools?: readonly OutsideTool[]) {
  const server = (await registry.servers()).find((known) => known.name === name)
  if (!server) throw new ClawbooError('tool_not_found', `there is no server "${name}"`)
  return { ...plainServer(server), tools: (tools ?? (await registry.list(name))).map(shownTool) }
}

async function readResult(registry: ToolRegistry, name: string, { tools, refused }: ReadServer) {
  return { server: await readServer(registry, name, tools), refused: [...refused] }
}

function plainServer({ name, endpoint, seenAt }: Server) {
  return { name, endpoint, seenAt }
}

function shownTool({ findings, ...tool }: OutsideTool) {
  return { ...tool, findings: [...findings] }
}

function countStates(server: string, tools: readonly OutsideTool[]) {
  const count = (state: OutsideTool['state']) =>
    tools.filter((tool) => tool.server === server && tool.state === state).length
  return { pending: count('pending'), approved: count('approved'), suspended: count('suspended') }
}
