import type { RuntimeRegistry } from '@clawboo/core/executor'
import type {
  AgentEvent,
  AgentRegistry,
  AgentSource,
  RuntimeId,
  SourceConnection,
  SourceRecords,
  SourceToolPolicy,
} from '@clawboo/core/registry'
import type { Log } from '../log.ts'
import type { Store } from '../store/open-store.ts'
import { createAgentFiles } from './agent-files.ts'
import { createAgents } from './agents.ts'
import { createFleet } from './fleet.ts'
import type { RecordChange } from './record-change.ts'
import { createSourceConnections } from './source-connections.ts'
import { createTeamProjects } from './team-projects.ts'
import { createTeams } from './teams.ts'

export type Registry = ReturnType<typeof openRegistry>

type RemovalHook = (agentId: string) => Promise<() => Promise<void>>

/** The facts that the registry needs to know about integrations. */
interface RegistrySources {
  readonly sources: AgentRegistry
  readonly connections: ReadonlyMap<RuntimeId, SourceConnection>
  readonly toolPolicies: ReadonlyMap<RuntimeId, SourceToolPolicy>
  readonly recordsOf: (sourceId: RuntimeId) => SourceRecords
  readonly labelOf: (sourceId: RuntimeId) => string
  readonly runtimes: RuntimeRegistry
}

/** Opens the registry: agents, teams, their files, and the sources that they come from. */
export function openRegistry(options: {
  readonly store: Store
  readonly record: RecordChange
  readonly log: Log
  readonly home: string
  readonly integrations: RegistrySources
}) {
  const { store, record, log, home, integrations } = options
  const { sources, connections, toolPolicies } = integrations
  const hooks: RemovalHook[] = []
  const beforeRemove: RemovalHook = async (agentId) => {
    const after = await Promise.all(hooks.map((hook) => hook(agentId)))
    return async () => void (await Promise.all(after.map((done) => done())))
  }
  const fleet = createFleet(store, sources, (id) => ({
    label: integrations.labelOf(id),
    connectable: connections.has(id),
    hasToolPolicy: toolPolicies.has(id),
  }))
  const agents = createAgents({
    store,
    registry: sources,
    recordsOf: integrations.recordsOf,
    runtimes: integrations.runtimes,
    beforeRemove,
  })
  let stopFollowing = async () => {}
  return {
    fleet,
    agents,
    files: createAgentFiles(store, agents),
    teams: createTeams(store, record, fleet.booZeroId),
    projects: createTeamProjects({ store, record, home }),
    connections: createSourceConnections({ registry: sources, connections, toolPolicies, record, beforeRemove }),
    /**
     * Registers work that must end before an agent is removed. The hook returns a function that is called after the
     * removal, even if the removal failed, and that never rejects.
     */
    beforeRemove: (hook: RemovalHook) => void hooks.push(hook),
    /**
     * Starts the sources without waiting for an upstream. `isRunning` returns whether this server is running the agent.
     */
    async start(isRunning: (agentId: string) => boolean) {
      const { recordsOf } = integrations
      stopFollowing = await followSources({ registry: sources, record, recordsOf, isRunning, log })
    },
    close: () => stopFollowing(),
  }
}

interface FollowSourcesDependencies {
  readonly registry: AgentRegistry
  readonly record: RecordChange
  readonly recordsOf: (sourceId: RuntimeId) => SourceRecords
  /**
   * Returns whether this server is running the agent. Its own record of the run then decides the status of the agent.
   */
  readonly isRunning: (agentId: string) => boolean
  readonly log: Log
}

/**
 * Starts every source and records the events that only the source knows. A source records changes of its agents itself,
 * together with the rows.
 */
export async function followSources(dependencies: FollowSourcesDependencies): Promise<() => Promise<void>> {
  const { registry, log } = dependencies
  const sources = registry.list()
  const following = sources.map((source) => follow(source, dependencies))
  await Promise.all(
    sources.map((source) =>
      source.start().catch((error: unknown) => log.error('a source did not start', { source: source.id, error })),
    ),
  )
  return async () => {
    await Promise.allSettled(sources.map((source) => source.stop()))
    await Promise.all(following)
  }
}

async function follow(source: AgentSource, dependencies: FollowSourcesDependencies): Promise<void> {
  for await (const event of source.events()) {
    await recordEvent(event, dependencies).catch((error: unknown) =>
      dependencies.log.error('an event of a source was not recorded', { source: source.id, type: event.type, error }),
    )
  }
}

async function recordEvent(
  event: AgentEvent,
  { record, recordsOf, isRunning }: FollowSourcesDependencies,
): Promise<void> {
  const { sourceId } = event
  switch (event.type) {
    case 'connection':
      return record({ action: 'source.connection', subject: sourceId, actor: `source:${sourceId}` }, async () => ({
        result: undefined,
        events: [{ type: 'source-status', sourceId }],
        detail: { state: event.state },
      }))
    case 'agent-status':
      if (!isRunning(event.agentId)) await recordsOf(sourceId).setStatus(event.agentId, event.status)
  }
}
