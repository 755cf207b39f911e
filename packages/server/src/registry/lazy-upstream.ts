import { ClawbooError } from '@clawboo/core'
import {
  type AgentEvent,
  type AgentSource,
  EventQueue,
  type OpenedUpstream,
  type RuntimeId,
  type SourceConnection,
  type SourceRecords,
  type SourceToolPolicy,
  type UpstreamDefinition,
} from '@clawboo/core/registry'

/** An upstream as the rest of the host uses it: available from the start, loaded when needed. */
interface LazyUpstream {
  readonly agentSource: AgentSource
  /** null when a person has nothing to connect. */
  readonly connection: SourceConnection | null
  readonly toolPolicy: SourceToolPolicy | null
}

interface Loader {
  readonly id: RuntimeId
  readonly definition: UpstreamDefinition
  readonly records: SourceRecords
  readonly events: EventQueue<AgentEvent>
  isStarted: boolean
  loaded: OpenedUpstream | null
  loading: Promise<OpenedUpstream> | null
}

/** Loads an upstream only when it is wanted, written to or connected, because most people have none. */
export function createLazyUpstream(
  id: RuntimeId,
  definition: UpstreamDefinition,
  records: SourceRecords,
  now: () => number,
): LazyUpstream {
  const events = new EventQueue<AgentEvent>()
  const loader: Loader = { id, definition, records, events, isStarted: false, loaded: null, loading: null }
  return {
    agentSource: { ...sourceReads(loader), ...sourceWrites(loader), ...sourceLife(loader) },
    connection: definition.isConnectable ? lazyConnection(loader, now()) : null,
    toolPolicy: definition.hasToolPolicy ? lazyToolPolicy(loader) : null,
  }
}

function load(loader: Loader): Promise<OpenedUpstream> {
  loader.loading ??= loadOnce(loader).catch((error: unknown) => {
    loader.loading = null
    throw error
  })
  return loader.loading
}

async function loadOnce(loader: Loader): Promise<OpenedUpstream> {
  const opened = await loader.definition.load()
  loader.loaded = opened
  void forward(opened.agentSource, loader.events)
  if (loader.isStarted) await opened.agentSource.start()
  return opened
}

async function forward(source: AgentSource, events: EventQueue<AgentEvent>): Promise<void> {
  for await (const event of source.events()) events.push(event)
}

const sourceOf = async (loader: Loader) => (await load(loader)).agentSource

/** Returns the source for a read that the registry could answer as well; null when the upstream is not wanted. */
async function wantedSource(loader: Loader): Promise<AgentSource | null> {
  return loader.loaded || (await loader.definition.isWanted()) ? sourceOf(loader) : null
}

type Reads = 'id' | 'listAgents' | 'getAgent' | 'listTeams' | 'listSessions' | 'readFile' | 'lookAtFiles' | 'health'

function sourceReads(loader: Loader): Pick<AgentSource, Reads> {
  const { id, records } = loader
  return {
    id,
    listAgents: (options) => records.list(options),
    getAgent: (agentId) => records.get(agentId),
    listTeams: (options) => records.listTeams(options),
    listSessions: async (agentId) => (await sourceOf(loader)).listSessions(agentId),
    async readFile(agentId, name) {
      const source = await wantedSource(loader)
      return source ? source.readFile(agentId, name) : ((await records.latestFile(agentId, name))?.content ?? '')
    },
    async lookAtFiles(agentId) {
      const source = await wantedSource(loader)
      await source?.lookAtFiles?.(agentId)
    },
    async health() {
      if (loader.loaded) return loader.loaded.agentSource.health()
      return { state: 'disconnected', lastSyncAt: await records.lastSyncAt() }
    },
  }
}

type Writes = 'createAgent' | 'updateAgent' | 'deleteAgent' | 'writeFile' | 'sync' | 'removeGhosts'

function sourceWrites(loader: Loader): Pick<AgentSource, Writes> {
  return {
    createAgent: async (input) => (await sourceOf(loader)).createAgent(input),
    updateAgent: async (id, patch) => (await sourceOf(loader)).updateAgent(id, patch),
    deleteAgent: async (id) => (await sourceOf(loader)).deleteAgent(id),
    writeFile: async (...file) => (await sourceOf(loader)).writeFile(...file),
    sync: async () => (await sourceOf(loader)).sync(),
    async removeGhosts() {
      const source = await sourceOf(loader)
      return source.removeGhosts?.() ?? unsupported(loader, 'has no agents that can vanish')
    },
  }
}

function sourceLife(loader: Loader): Pick<AgentSource, 'start' | 'stop' | 'events'> {
  return {
    async start() {
      loader.isStarted = true
      if (loader.loaded) await loader.loaded.agentSource.start()
      else if (await loader.definition.isWanted()) await load(loader)
    },
    async stop() {
      // A failed load has started nothing.
      const opened = await loader.loading?.catch(() => null)
      await opened?.agentSource.stop()
      loader.events.end()
    },
    events: () => loader.events.subscribe(),
  }
}

function lazyConnection(loader: Loader, since: number): SourceConnection {
  const connection = async () => (await load(loader)).connection ?? unsupported(loader, 'has nothing to connect')
  return {
    async read() {
      if (loader.loaded?.connection) return loader.loaded.connection.read()
      return {
        state: 'disconnected',
        since,
        address: null,
        version: null,
        scopes: [],
        lastSyncAt: await loader.records.lastSyncAt(),
        problem: null,
      }
    },
    discover: async () => (await connection()).discover(),
    connect: async (request) => (await connection()).connect(request),
    disconnect: async () => (await connection()).disconnect(),
  }
}

function lazyToolPolicy(loader: Loader): SourceToolPolicy {
  const policy = async () => (await load(loader)).toolPolicy ?? unsupported(loader, 'has no tool policy')
  return {
    read: async () => (await policy()).read(),
    change: async (patch) => (await policy()).change(patch),
  }
}

function unsupported({ id }: Loader, why: string): never {
  throw new ClawbooError('connection_unsupported', `the source "${id}" ${why}`, { details: { sourceId: id } })
}
