import { ClawbooError } from '@clawboo/core'
import type { RuntimeRegistry, WorkspaceView } from '@clawboo/core/executor'
import type { Store } from '../../store/open-store.ts'
import { wantAgent } from './find-runner.ts'

export type Workspaces = ReturnType<typeof createWorkspaces>

/** The workspaces of agents. Both calls throw `agent_cannot_run` when the runtime does not let people read them. */
export function createWorkspaces(store: Store, runtimes: RuntimeRegistry) {
  // Does not use `runtimeOf`, because a person can also read the files of an archived agent.
  const viewOf = async (agentId: string): Promise<WorkspaceView> => {
    const agent = await wantAgent(store, agentId)
    const runtime = runtimes.find(agent.runtime)
    const adapter = runtime?.descriptor.claims.hasWorkspace ? await runtime.load() : null
    const view = adapter?.workspace?.(agent)
    if (!view) throw new ClawbooError('agent_cannot_run', `${agent.displayName} has no workspace that can be shown`)
    return view
  }
  return {
    /** Throws `file_not_found`, `path_refused`. */
    list: async (agentId: string, path: string) =>
      (await (await viewOf(agentId)).list(path)) ?? missing(path, 'folder'),
    /** Throws `file_not_found`, `path_refused`. */
    read: async (agentId: string, path: string) => (await (await viewOf(agentId)).read(path)) ?? missing(path, 'file'),
  }
}

function missing(path: string, what: 'file' | 'folder'): never {
  const shown = path.slice(0, 200)
  throw new ClawbooError('file_not_found', `there is no ${what} "${shown}" here`, { details: { path: shown } })
}
