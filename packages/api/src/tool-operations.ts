import { z } from 'zod'
import { idSchema, type Operation } from './operation.ts'
import type { OperationId } from './routes.ts'

const epochMs = z.number().int().describe('Epoch milliseconds')
const hash = z.string().describe('SHA-256 of name, description and schema')
const count = z.number().int().min(0)

const findingKindSchema = z.enum(['instruction', 'hidden', 'shadowing', 'exfiltration'])

const findingSchema = z
  .object({
    kind: findingKindSchema,
    where: z.string().describe('`name`, `description`, or a path within the schema'),
    excerpt: z.string().describe('The text in question, with invisible characters shown'),
  })
  .meta({ id: 'ToolFinding', description: 'Suspicious text in a descriptor.' })

const descriptorSchema = z
  .object({
    name: z.string(),
    description: z.string(),
    inputSchema: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'ToolDescriptor', description: 'As the outside server sent it: data, whatever it contains.' })

export const outsideToolSchema = z
  .object({
    id: z.string(),
    server: z.string(),
    descriptor: descriptorSchema,
    hash,
    findings: z.array(findingSchema),
    state: z.enum(['pending', 'approved', 'suspended']).describe('Agents can see only approved tools'),
    reason: z.string().nullable().describe('The reason for the suspension'),
    approved: z
      .object({ descriptor: descriptorSchema, hash, by: z.string(), at: epochMs })
      .nullable()
      .describe('The last approval; null = never approved'),
  })
  .meta({ id: 'OutsideTool' })

const serverFields = {
  name: z.string(),
  endpoint: z.string(),
  seenAt: epochMs.describe('When its tools were last read'),
}

export const toolServersSchema = z.object({
  servers: z.array(
    z
      .object({ ...serverFields, pending: count, approved: count, suspended: count })
      .meta({ id: 'ToolServerEntry', description: 'An outside server with the number of its tools in each state.' }),
  ),
})

export const toolServerSchema = z
  .object({ ...serverFields, tools: z.array(outsideToolSchema).describe('By name') })
  .meta({ id: 'ToolServer' })

export const readToolServerSchema = z
  .object({
    server: toolServerSchema,
    refused: z.array(z.object({ name: z.string(), reason: z.string() })).describe('The tools that cannot be stored'),
  })
  .meta({ id: 'ReadToolServer' })

export const registerToolServerSchema = z
  .strictObject({
    name: z.string().max(200).describe('Lower-case letters, digits and hyphens, at most 32, starting with a letter'),
    endpoint: z
      .string()
      .max(2_000)
      .describe('Its MCP address over HTTP: https, or http on this machine; without user, password, query or fragment'),
  })
  .meta({ id: 'RegisterToolServer' })

export const approveToolSchema = z
  .strictObject({
    hash: z.string().regex(/^[\da-f]{64}$/, 'must be the hash that was shown: 64 hexadecimal digits'),
    findings: z.array(findingKindSchema).max(20).describe('Every kind of finding that you have read'),
  })
  .meta({ id: 'ApproveTool' })

export const suspendToolSchema = z.strictObject({ reason: z.string().max(500).optional() }).meta({ id: 'SuspendTool' })

const serverParams = z.object({ serverName: idSchema })
const toolParams = z.object({ toolId: idSchema })

/** Operations of outside MCP servers and their tools. */
export const TOOL_OPERATIONS = {
  listToolServers: {
    tag: 'Tools',
    summary: 'List every outside server with the number of pending, approved and suspended tools',
    response: toolServersSchema,
  },
  getToolServer: {
    tag: 'Tools',
    summary: 'Read one outside server with every tool: descriptor, hash, findings and state',
    params: serverParams,
    response: toolServerSchema,
    errors: ['tool_not_found'],
  },
  registerToolServer: {
    tag: 'Tools',
    summary: 'Add an outside server and store its tools; none can be called before it is approved',
    body: registerToolServerSchema,
    response: readToolServerSchema,
    status: 201,
    errors: ['tool_server_failed'],
  },
  refreshToolServer: {
    tag: 'Tools',
    summary: 'Read the tools of an outside server again and suspend those that changed',
    params: serverParams,
    response: readToolServerSchema,
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
    body: approveToolSchema,
    response: outsideToolSchema,
    errors: ['tool_not_found', 'tool_approval_refused'],
  },
  suspendTool: {
    tag: 'Tools',
    summary: 'Suspend a tool until it is approved again',
    params: toolParams,
    body: suspendToolSchema,
    response: outsideToolSchema,
    errors: ['tool_not_found'],
  },
} as const satisfies { readonly [Id in OperationId]?: Operation }
