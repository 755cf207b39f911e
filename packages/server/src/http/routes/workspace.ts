import type { Workspaces } from '../../executor/runtimes/workspaces.ts'
import type { Handlers } from '../app.ts'

export function workspaceRoutes({ workspaces }: { workspaces: Workspaces }) {
  return {
    listWorkspace: ({ params, query }) => workspaces.list(params.agentId, query.path ?? ''),
    readWorkspaceFile: ({ params, query }) => workspaces.read(params.agentId, query.path),
  } satisfies Partial<Handlers>
}
