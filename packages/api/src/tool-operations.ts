import { z } from 'zod'
import { idSchema, type Operation } from './operation.ts'
import type { OperationId } from './routes.ts'
import * as tools from './schemas/tools.ts'

const serverParams = z.object({ serverName: idSchema })
const toolParams = z.object({ toolId: idSchema })

/** Operations of outside MCP servers and their tools. */
export const TOOL_OPERATIONS = {
  listToolServers: {
    tag: 'Tools',
    summary: 'List every outside server with the number of pending, approved and suspended tools',
    response: tools.toolServersSchema,
  },
  getToolServer: {
    tag: 'Tools',
    summary: 'Read one outside server with every tool: descriptor, hash, findings and state',
    params: serverParams,
    response: tools.toolServerSchema,
    errors: ['tool_not_found'],
  },
  registerToolServer: {
    tag: 'Tools',
    summary: 'Add an outside server and store its tools; none can be called before it is approved',
    body: tools.registerToolServerSchema,
    response: tools.readToolServerSchema,
    status: 201,
    errors: ['tool_server_failed'],
  },
  refreshToolServer: {
    tag: 'Tools',
    summary: 'Read the tools of an outside server again and suspend those that changed',
    params: serverParams,
    response: tools.readToolServerSchema,
    errors: ['tool_not_found', 'tool_server_failed'],
  },
  removeToolServer: {
    tag: 'Tools',
    summary: 'Remove an outside server and all its tools',
    params: serverParams,
    response: null,
    status: 204,
    errors: ['tool_not_found'],
  },
  approveTool: {
    tag: 'Tools',
    summary: 'Approve exactly one version of a tool, with the hash that you saw and every finding that you read',
    params: toolParams,
    body: tools.approveToolSchema,
    response: tools.outsideToolSchema,
    errors: ['tool_not_found', 'tool_approval_refused'],
  },
  suspendTool: {
    tag: 'Tools',
    summary: 'Suspend a tool until it is approved again',
    params: toolParams,
    body: tools.suspendToolSchema,
    response: tools.outsideToolSchema,
    errors: ['tool_not_found'],
  },
} as const satisfies { readonly [Id in OperationId]?: Operation }
