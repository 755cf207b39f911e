import { z } from 'zod'
import { idSchema, type Operation } from './operation.ts'
import type { OperationId } from './routes.ts'
import * as tools from './schemas/tools.ts'

const serverParams = z.object({ serverName: idSchema })
const toolParams = z.object({ toolId: idSchema })

/** Outside MCP servers and what a person allows of them. */
export const TOOL_OPERATIONS = {
  listToolServers: {
    tag: 'Tools',
    summary: 'Every outside server, with how many of its tools wait, are approved and are suspended',
    response: tools.toolServersSchema,
  },
  getToolServer: {
    tag: 'Tools',
    summary: 'One outside server with every tool: descriptor, hash, findings and state',
    params: serverParams,
    response: tools.toolServerSchema,
    errors: ['tool_not_found'],
  },
  registerToolServer: {
    tag: 'Tools',
    summary: 'Read what an outside server offers and keep it; nothing of it can be called before it is approved',
    body: tools.registerToolServerSchema,
    response: tools.readToolServerSchema,
    status: 201,
    errors: ['tool_server_failed'],
  },
  refreshToolServer: {
    tag: 'Tools',
    summary: 'Read again what an outside server offers; what changed is suspended',
    params: serverParams,
    response: tools.readToolServerSchema,
    errors: ['tool_not_found', 'tool_server_failed'],
  },
  removeToolServer: {
    tag: 'Tools',
    summary: 'Forget an outside server with all its tools',
    params: serverParams,
    response: null,
    status: 204,
    errors: ['tool_not_found'],
  },
  approveTool: {
    tag: 'Tools',
    summary: 'Allow agents exactly this tool, naming the hash that was seen and every finding that was read',
    params: toolParams,
    body: tools.approveToolSchema,
    response: tools.outsideToolSchema,
    errors: ['tool_not_found', 'tool_approval_refused'],
  },
  suspendTool: {
    tag: 'Tools',
    summary: 'Take a tool away from agents until it is approved again',
    params: toolParams,
    body: tools.suspendToolSchema,
    response: tools.outsideToolSchema,
    errors: ['tool_not_found'],
  },
} as const satisfies { readonly [Id in OperationId]?: Operation }
