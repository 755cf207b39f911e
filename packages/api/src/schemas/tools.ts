import { z } from 'zod'

const epochMs = z.number().int().describe('Epoch milliseconds')
const hash = z.string().describe('sha256 over name, description and schema')
const count = z.number().int().min(0)

const findingKindSchema = z.enum(['instruction', 'hidden', 'shadowing', 'exfiltration'])

const findingSchema = z
  .object({
    kind: findingKindSchema,
    where: z.string().describe('`name`, `description`, or a path within the schema'),
    excerpt: z.string().describe('The words in question, as a person can see them'),
  })
  .meta({ id: 'ToolFinding', description: 'What should not stand in a descriptor.' })

const descriptorSchema = z
  .object({
    name: z.string(),
    description: z.string(),
    inputSchema: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'ToolDescriptor', description: 'As the outside server told it: data, whatever it says.' })

export const outsideToolSchema = z
  .object({
    id: z.string(),
    server: z.string(),
    descriptor: descriptorSchema,
    hash,
    findings: z.array(findingSchema),
    state: z.enum(['pending', 'approved', 'suspended']).describe('Only what is approved exists for an agent'),
    reason: z.string().nullable().describe('Why it is suspended'),
    approved: z
      .object({ descriptor: descriptorSchema, hash, by: z.string(), at: epochMs })
      .nullable()
      .describe('As it was last approved; null = it never was'),
  })
  .meta({ id: 'OutsideTool' })

const serverFields = {
  name: z.string(),
  endpoint: z.string(),
  seenAt: epochMs.describe('When it last told what it offers'),
}

export const toolServersSchema = z.object({
  servers: z.array(
    z
      .object({ ...serverFields, pending: count, approved: count, suspended: count })
      .meta({ id: 'ToolServerEntry', description: 'An outside server with how many tools it has in each state.' }),
  ),
})

export const toolServerSchema = z
  .object({ ...serverFields, tools: z.array(outsideToolSchema).describe('By name') })
  .meta({ id: 'ToolServer' })

export const readToolServerSchema = z
  .object({
    server: toolServerSchema,
    refused: z
      .array(z.object({ name: z.string(), reason: z.string() }))
      .describe('What it offers besides and cannot be kept'),
  })
  .meta({ id: 'ReadToolServer' })

export const registerToolServerSchema = z
  .strictObject({
    name: z.string().max(200).describe('Small letters, digits and hyphens, at most 32, a letter first'),
    endpoint: z
      .string()
      .max(2_000)
      .describe('Its MCP address over HTTP: https, or http on this machine; without user, password, query or fragment'),
  })
  .meta({ id: 'RegisterToolServer' })

export const approveToolSchema = z
  .strictObject({
    hash: z.string().regex(/^[\da-f]{64}$/, 'must be the hash that was shown: 64 hexadecimal digits'),
    findings: z.array(findingKindSchema).max(20).describe('Every kind of finding that was read'),
  })
  .meta({ id: 'ApproveTool' })

export const suspendToolSchema = z.strictObject({ reason: z.string().max(500).optional() }).meta({ id: 'SuspendTool' })
