import type { ToolPolicy } from '@clawboo/core/registry'
import type { Fleet } from '../../registry/fleet.ts'
import type { SourceConnections } from '../../registry/source-connections.ts'
import type { Handlers } from '../app.ts'

export function sourceRoutes({ fleet, connections }: { fleet: Fleet; connections: SourceConnections }) {
  return {
    listSources: async () => ({ sources: await fleet.sources() }),
    syncSource: ({ params }) => connections.sync(params.sourceId),
    getConnection: ({ params }) => connections.read(params.sourceId),
    findUpstreams: async ({ params }) => ({ upstreams: [...(await connections.discover(params.sourceId))] }),
    connectSource: ({ params, body: { address, secret } }) =>
      connections.connect(params.sourceId, { address, ...(secret === undefined ? {} : { secret }) }),
    disconnectSource: ({ params }) => connections.disconnect(params.sourceId),
    getToolPolicy: async ({ params }) => shown(await connections.toolPolicy(params.sourceId)),
    changeToolPolicy: async ({ params, body: { deny = [], undeny = [] } }) =>
      shown(await connections.changeToolPolicy(params.sourceId, { deny, undeny })),
    removeGhosts: async ({ params }) => ({ removed: [...(await connections.removeGhosts(params.sourceId))] }),
  } satisfies Partial<Handlers>
}

function shown({ allow, deny }: ToolPolicy) {
  return { allow: allow && [...allow], deny: [...deny] }
}
