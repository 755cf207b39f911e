import { z } from 'zod'
import { idSchema, type Operation } from './operation.ts'
import type { OperationId } from './routes.ts'
import * as connections from './schemas/connections.ts'
import * as registry from './schemas/registry.ts'

const sourceParams = z.object({ sourceId: idSchema })

/** Where Boos come from. A secret goes in and never comes out. */
export const SOURCE_OPERATIONS = {
  listSources: {
    tag: 'Sources',
    summary: 'Where Boos come from, and how each stands',
    response: z.object({ sources: z.array(registry.sourceStatusSchema.extend({ agentCount: z.number().int() })) }),
  },
  syncSource: {
    tag: 'Sources',
    summary: 'Reconcile a source into the registry now',
    params: sourceParams,
    response: registry.syncResultSchema,
    errors: ['source_not_found', 'upstream_disconnected'],
  },
  listRuntimes: {
    tag: 'Sources',
    summary: 'What can run a Boo',
    response: z.object({ runtimes: z.array(registry.runtimeSchema) }),
  },
  listRuntimeModels: {
    tag: 'Sources',
    summary: 'The models that a runtime knows itself; none when its Boos call those of the providers set up here',
    params: z.object({ runtimeId: idSchema }),
    response: z.object({ models: z.array(registry.runtimeModelSchema) }),
    errors: ['runtime_not_found', 'upstream_disconnected'],
  },
  getConnection: {
    tag: 'Sources',
    summary: 'How a source stands with its upstream, and why it is not connected',
    params: sourceParams,
    response: connections.connectionSchema,
    errors: ['source_not_found', 'connection_unsupported'],
  },
  findUpstreams: {
    tag: 'Sources',
    summary: 'Upstreams of a source on this machine',
    params: sourceParams,
    response: z.object({ upstreams: z.array(connections.foundUpstreamSchema) }),
    errors: ['source_not_found', 'connection_unsupported'],
  },
  connectSource: {
    tag: 'Sources',
    summary: 'Connect a source to its upstream and keep it so; answers with what the upstream said first',
    params: sourceParams,
    body: connections.connectSourceSchema,
    response: connections.connectionSchema,
    errors: ['source_not_found', 'connection_unsupported', 'connection_invalid'],
  },
  disconnectSource: {
    tag: 'Sources',
    summary: 'End a connection for good and forget its secret; Boos that were seen stay readable',
    params: sourceParams,
    response: connections.connectionSchema,
    errors: ['source_not_found', 'connection_unsupported'],
  },
  getToolPolicy: {
    tag: 'Sources',
    summary: 'Which tools the Boos of a source may use, as its upstream keeps it for all of them',
    params: sourceParams,
    response: connections.toolPolicySchema,
    errors: ['source_not_found', 'connection_unsupported', 'upstream_disconnected'],
  },
  changeToolPolicy: {
    tag: 'Sources',
    summary: 'Deny tools to all Boos of a source, or take them off the list of denied ones',
    params: sourceParams,
    body: connections.changeToolPolicySchema,
    response: connections.toolPolicySchema,
    errors: ['source_not_found', 'connection_unsupported', 'upstream_disconnected', 'upstream_refused'],
  },
  removeGhosts: {
    tag: 'Sources',
    summary: 'Remove for good the Boos that are gone upstream, after a look that they still are',
    params: sourceParams,
    response: z.object({ removed: z.array(z.string()).describe('Ids of Boos') }),
    errors: ['source_not_found', 'connection_unsupported', 'upstream_disconnected'],
  },
} as const satisfies { readonly [Id in OperationId]?: Operation }
