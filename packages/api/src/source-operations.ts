import { z } from 'zod'
import { idSchema, type Operation } from './operation.ts'
import type { OperationId } from './routes.ts'
import * as connections from './schemas/connections.ts'
import * as registry from './schemas/registry.ts'

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
    response: connections.connectionSchema,
    errors: ['source_not_found', 'connection_unsupported'],
  },
  findUpstreams: {
    tag: 'Sources',
    summary: 'Find upstreams of a source on this machine',
    params: sourceParams,
    response: z.object({ upstreams: z.array(connections.foundUpstreamSchema) }),
    errors: ['source_not_found', 'connection_unsupported'],
  },
  connectSource: {
    tag: 'Sources',
    summary: 'Connect a source and keep it connected; returns the first response of the upstream',
    params: sourceParams,
    body: connections.connectSourceSchema,
    response: connections.connectionSchema,
    errors: ['source_not_found', 'connection_unsupported', 'connection_invalid'],
  },
  disconnectSource: {
    tag: 'Sources',
    summary: 'Disconnect a source and delete its secret; its Boos stay readable',
    params: sourceParams,
    response: connections.connectionSchema,
    errors: ['source_not_found', 'connection_unsupported'],
  },
  getToolPolicy: {
    tag: 'Sources',
    summary: "Read the upstream's tool policy for all Boos of a source",
    params: sourceParams,
    response: connections.toolPolicySchema,
    errors: ['source_not_found', 'connection_unsupported', 'upstream_disconnected'],
  },
  changeToolPolicy: {
    tag: 'Sources',
    summary: 'Deny tools to all Boos of a source, or allow denied tools again',
    params: sourceParams,
    body: connections.changeToolPolicySchema,
    response: connections.toolPolicySchema,
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
