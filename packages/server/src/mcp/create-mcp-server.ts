import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import { VERSION } from '../version.ts'
import { callTool, type ToolWatch } from './call-tool.ts'
import type { Caller } from './caller.ts'
import { listTools, type ToolTable } from './tool-table.ts'

/**
 * Wraps a table as the SDK's server for one caller. Cheap and never shared: the next request may have another caller.
 */
export function createMcpServer(table: ToolTable, caller: Caller, watch: ToolWatch): Server {
  const server = new Server(
    { name: `clawboo-${table.name}`, version: VERSION },
    { capabilities: { tools: { listChanged: false } }, instructions: table.instructions },
  )
  server.setRequestHandler('tools/list', () => ({ tools: [...listTools(table, caller)] }))
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const call = { name: params.name, args: params.arguments, signal: context.mcpReq.signal }
    const answer = await callTool(table, caller, call, watch)
    if (!answer) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no tool "${params.name}" here`)
    return { ...answer }
  })
  return server
}
