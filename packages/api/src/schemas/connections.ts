import { CONNECTION_PROBLEMS, type ConnectionView, type FoundUpstream } from '@clawboo/core/registry'
import { z } from 'zod'

const epochMs = z.number().int().describe('Epoch milliseconds')

export const connectionSchema: z.ZodType<ConnectionView, ConnectionView> = z
  .object({
    state: z.enum(['connected', 'connecting', 'reconnecting', 'disconnected']),
    since: epochMs,
    address: z.string().nullable().describe('null = never connected, or disconnected by a person'),
    version: z.string().nullable().describe('The version that the upstream reported when it was last connected'),
    scopes: z.array(z.string()).describe('The permissions that the upstream grants'),
    lastSyncAt: epochMs.nullable(),
    problem: z
      .object({ code: z.enum(CONNECTION_PROBLEMS), message: z.string(), remedy: z.string() })
      .nullable()
      .describe('Why it is not connected, and what a person can do'),
  })
  .meta({ id: 'Connection' })

export const foundUpstreamSchema: z.ZodType<FoundUpstream, FoundUpstream> = z
  .object({
    address: z.string(),
    foundIn: z.string().describe('Where it was found, such as the path of its settings'),
    isRunning: z.boolean(),
    secretKnown: z.boolean().describe('False: a person must enter the secret'),
  })
  .meta({ id: 'FoundUpstream' })

export const connectSourceSchema = z
  .strictObject({
    address: z
      .string()
      .trim()
      .min(1, 'must not be empty')
      .max(500, 'must have at most 500 characters')
      // A pasted address may contain a password or token, and the address is stored, shown and audited.
      .regex(/^[^\p{Cc}\s@?#]*$/u, 'must be an address without user, query or fragment; send the secret separately'),
    secret: z
      .string()
      .trim()
      .min(1, 'must not be empty')
      .max(4_000, 'must have at most 4000 characters')
      .regex(/^\P{Cc}*$/u, 'must be one line')
      .optional()
      .describe('Absent: the stored secret for this address, or the one in the settings of the found upstream'),
  })
  .meta({ id: 'ConnectSource' })

const toolName = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(200)
  .regex(/^\P{Cc}*$/u, 'must be one line')

export const toolPolicySchema = z
  .object({
    allow: z.array(z.string()).nullable().describe('null = every tool that is not denied'),
    deny: z.array(z.string()),
  })
  .meta({ id: 'ToolPolicy' })

export const changeToolPolicySchema = z
  .strictObject({ deny: z.array(toolName).max(200).optional(), undeny: z.array(toolName).max(200).optional() })
  .refine(({ deny = [], undeny = [] }) => deny.every((tool) => !undeny.includes(tool)), 'a tool is on both lists')
  .meta({ id: 'ChangeToolPolicy' })
