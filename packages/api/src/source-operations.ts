import { CONNECTION_PROBLEMS, type ConnectionView, type FoundUpstream } from '@clawboo/core/registry'
import { z } from 'zod'
import { idSchema, type Operation } from './operation.ts'
import type { OperationId } from './routes.ts'
import * as registry from './schemas/registry.ts'

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

const sourceParams = z.object({ sourceId: idSchema })

/** Operations of sources. A secret is sent to the server and never returned. */
export const SOURCE_OPERATIONS = {
  listSources: {
    tag: 'Sources',
    summary: 'List the sources of Boos with their state',
    response: z.object({ sources: z.array(registry.sourceStatusSchema.extend({ agentCount: z.number().int() })) }),
  },
  syncSource: {
    tag: 'Sources',
    summary: 'Sync a source into the registry now',
    params: sourceParams,
    response: registry.syncResultSchema,
    errors: ['source_not_found', 'upstream_disconnected'],
  },
  listRuntimes: {
    tag: 'Sources',
    summary: 'List the runtimes',
    response: z.object({ runtimes: z.array(registry.runtimeSchema) }),
  },
  listRuntimeModels: {
    tag: 'Sources',
    summary: "List a runtime's own models; empty when its Boos use the providers set up here",
    params: z.object({ runtimeId: idSchema }),
    response: z.object({ models: z.array(registry.runtimeModelSchema) }),
    errors: ['runtime_not_found', 'upstream_disconnected'],
  },
  getConnection: {
    tag: 'Sources',
    summary: 'Read the connection of a source, and why it is not connected',
    params: sourceParams,
    response: connectionSchema,
    errors: ['source_not_found', 'connection_unsupported'],
  },
  findUpstreams: {
    tag: 'Sources',
    summary: 'Find upstreams of a source on this machine',
    params: sourceParams,
    response: z.object({ upstreams: z.array(foundUpstreamSchema) }),
    errors: ['source_not_found', 'connection_unsupported'],
  },
  connectSource: {
    tag: 'Sources',
    summary: 'Connect a source and keep it connected; returns the first response of the upstream',
    params: sourceParams,
    body: connectSourceSchema,
    response: connectionSchema,
    errors: ['source_not_found', 'connection_unsupported', 'connection_invalid'],
  },
  disconnectSource: {
    tag: 'Sources',
    summary: 'Disconnect a source and delete its secret; its Boos stay readable',
    params: sourceParams,
    response: connectionSchema,
    errors: ['source_not_found', 'connection_unsupported'],
  },
  getToolPolicy: {
    tag: 'Sources',
    summary: "Read the upstream's tool policy for all Boos of a source",
    params: sourceParams,
    response: toolPolicySchema,
    errors: ['source_not_found', 'connection_unsupported', 'upstream_disconnected'],
  },
  changeToolPolicy: {
    tag: 'Sources',
    summary: 'Deny tools to all Boos of a source, or allow denied tools again',
    params: sourceParams,
    body: changeToolPolicySchema,
    response: toolPolicySchema,
    errors: ['source_not_found', 'connection_unsupported', 'upstream_disconnected', 'upstream_refused'],
  },
  removeGhosts: {
    tag: 'Sources',
    summary: 'Delete the Boos that are gone upstream, after checking that they still are',
    params: sourceParams,
    response: z.object({ removed: z.array(z.string()).describe('Ids of Boos') }),
    errors: ['source_not_found', 'connection_unsupported', 'upstream_disconnected'],
  },
} as const satisfies { readonly [Id in OperationId]?: Operation }
