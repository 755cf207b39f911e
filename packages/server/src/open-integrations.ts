import { basename, dirname, join } from 'node:path'
import { type ModelProvidersDefinition, RuntimeRegistry } from '@clawboo/core/executor'
import {
  AgentRegistry,
  OWN_SOURCE_ID,
  type RuntimeId,
  type SourceConnection,
  type SourceToolPolicy,
} from '@clawboo/core/registry'
import { type ContainedFiles, containedFiles } from './access/contained-path.ts'
import type { HostApprovals, HostMachine, HostPeople, IntegrationHost } from './integrations/host.ts'
import { integrations } from './integrations/index.ts'
import type { Processes } from './processes/process.ts'
import { createLazyUpstream } from './registry/lazy-upstream.ts'
import { createOwnSource } from './registry/own-source/own-source.ts'
import type { RecordChange } from './registry/record-change.ts'
import { createSourceRecords } from './registry/source-records.ts'
import type { Store } from './store/open-store.ts'
import { settingsUnder } from './store/repositories/server/settings-repository.ts'

const MAX_WORKSPACE_FILE_BYTES = 1024 * 1024

interface OpenIntegrationsOptions {
  readonly store: Store
  readonly record: RecordChange
  readonly secretsOf: (integrationId: string) => IntegrationHost['secrets']
  readonly runtimesFolder: string
  readonly machine: HostMachine
  readonly processes: Processes
  /** Absent = no person can be asked. */
  readonly people?: HostPeople
  readonly approvalsOf?: (sourceId: RuntimeId) => HostApprovals
}

/** Opens every integration with its own host (rows, folder, secrets, settings) and collects its roles. */
export function openIntegrations(options: OpenIntegrationsOptions) {
  const filesOf = runtimeFiles(options.runtimesFolder)
  const recordsOf = (sourceId: RuntimeId) => createSourceRecords(sourceId, options.store, options.record)
  const sources = new AgentRegistry()
  const runtimes = new RuntimeRegistry()
  const connections = new Map<RuntimeId, SourceConnection>()
  const toolPolicies = new Map<RuntimeId, SourceToolPolicy>()
  const labels = new Map<RuntimeId, string>([[OWN_SOURCE_ID, 'Clawboo']])
  let modelProviders: ModelProvidersDefinition | null = null
  sources.register(
    createOwnSource({
      records: recordsOf(OWN_SOURCE_ID),
      runtimes,
      filesOf,
      checkPersonality,
      now: Date.now,
    }),
  )
  for (const integration of integrations) {
    const { id } = integration
    const host = hostOf(id, options, filesOf(id))
    const roles = integration.open(host)
    if (roles.runtimes) runtimes.follow(roles.runtimes)
    modelProviders ??= roles.modelProviders ?? null
    if (!roles.upstream) continue
    const upstream = createLazyUpstream(id, roles.upstream, host.records, Date.now)
    sources.register(upstream.agentSource)
    labels.set(id, roles.upstream.label)
    if (upstream.connection) connections.set(id, upstream.connection)
    if (upstream.toolPolicy) toolPolicies.set(id, upstream.toolPolicy)
  }
  const labelOf = (sourceId: RuntimeId) => labels.get(sourceId) ?? sourceId
  return {
    /** Clawboo's own source first, then the upstreams in the order of the list. */
    sources,
    runtimes,
    connections,
    toolPolicies,
    modelProviders,
    /** Returns the rows of one source. */
    recordsOf,
    /** Returns the name of a source as people see it. */
    labelOf,
  }
}

/** Loads the schemas on first use: they would slow the start of a server that creates no agent. */
async function checkPersonality(config: unknown): Promise<unknown> {
  const { checkPersonalityConfig } = await import('./integrations/host-config.ts')
  return checkPersonalityConfig(config)
}

/** Returns one object per runtime, however often it is called. */
function runtimeFiles(runtimesFolder: string): (runtime: RuntimeId) => ContainedFiles {
  const known = new Map<RuntimeId, ContainedFiles>()
  return (runtime) => {
    const files = known.get(runtime) ?? containedFiles(join(runtimesFolder, runtime), LIMITS)
    known.set(runtime, files)
    return files
  }
}

const LIMITS = { maxBytes: MAX_WORKSPACE_FILE_BYTES }

function hostOf(id: RuntimeId, options: OpenIntegrationsOptions, files: ContainedFiles): IntegrationHost {
  const { store, record, secretsOf, runtimesFolder, machine, processes, people, approvalsOf } = options
  return {
    records: createSourceRecords(id, store, record),
    files,
    homeFolder: join(runtimesFolder, id),
    folderAt: (path) => containedFiles(dirname(path), LIMITS).folder(basename(path)),
    secrets: secretsOf(id),
    settings: settingsUnder(`integration:${id}:`, store.settings),
    machine,
    processes,
    ...(people && { people }),
    ...(approvalsOf && { approvals: approvalsOf(id) }),
    now: Date.now,
  }
}
