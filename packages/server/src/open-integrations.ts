import { basename, dirname, join } from 'node:path'
import { type ModelProviders, RuntimeRegistry } from '@clawboo/core/executor'
import { AgentRegistry, type RuntimeId, type SourceConnection, type SourceToolPolicy } from '@clawboo/core/registry'
import { containedFiles } from './access/contained-path.ts'
import { runtimeFacts } from './executor/runtimes/runtime-facts.ts'
import type { HostApprovals, HostDesk, HostMachine, IntegrationHost } from './integrations/host.ts'
import { integrations } from './integrations/index.ts'
import { createProcesses } from './processes/processes.ts'
import type { RecordChange } from './registry/record-change.ts'
import { createSourceRecords } from './registry/source-records.ts'
import type { Store } from './store/open-store.ts'
import { settingsUnder } from './store/settings-under.ts'

const MAX_WORKSPACE_FILE_BYTES = 1024 * 1024

/** Gives every integration a host of its own (its rows, its folder, its secrets, its settings) and collects its roles. */
export function openIntegrations(options: {
  readonly store: Store
  readonly record: RecordChange
  readonly secretsOf: (integrationId: string) => IntegrationHost['secrets']
  readonly runtimesFolder: string
  readonly machine: HostMachine
  /** Without one nobody can be asked. */
  readonly desk?: HostDesk
  readonly approvalsOf?: (sourceId: RuntimeId) => HostApprovals
}) {
  const sources = new AgentRegistry()
  const runtimes = new RuntimeRegistry()
  const connections = new Map<RuntimeId, SourceConnection>()
  const toolPolicies = new Map<RuntimeId, SourceToolPolicy>()
  let modelProviders: ModelProviders | null = null
  for (const integration of integrations) {
    const roles = integration.open(hostOf(integration.id, options))
    if (roles.agentSource) sources.register(roles.agentSource)
    if (roles.runtime) runtimes.register(roles.runtime)
    if (roles.connection) connections.set(integration.id, roles.connection)
    if (roles.toolPolicy) toolPolicies.set(integration.id, roles.toolPolicy)
    modelProviders ??= roles.modelProviders ?? null
  }
  const descriptors = integrations.flatMap((integration) => integration.descriptors)
  return {
    sources,
    runtimes,
    connections,
    toolPolicies,
    modelProviders,
    descriptors,
    recordsOf: (id: RuntimeId) => createSourceRecords(id, options.store, options.record),
    labelOf: (id: RuntimeId) => descriptors.find((runtime) => runtime.id === id)?.label ?? id,
    participantKinds: new Map(descriptors.map((runtime) => [runtime.id, runtime.participantKind])),
    keepsItsOwn: (id: RuntimeId) => runtimeFacts(runtimes.find(id)).keepsItsOwn,
    runtimeInfos: descriptors.map((info) => ({ ...info, ...runtimeFacts(runtimes.find(info.id)) })),
  }
}

function hostOf(id: RuntimeId, options: Parameters<typeof openIntegrations>[0]): IntegrationHost {
  const { store, record, secretsOf, runtimesFolder, machine, desk, approvalsOf } = options
  const homeFolder = join(runtimesFolder, id)
  return {
    records: createSourceRecords(id, store, record),
    files: containedFiles(homeFolder, { maxBytes: MAX_WORKSPACE_FILE_BYTES }),
    homeFolder,
    folderAt: (path) => containedFiles(dirname(path), { maxBytes: MAX_WORKSPACE_FILE_BYTES }).folder(basename(path)),
    secrets: secretsOf(id),
    settings: settingsUnder(`integration:${id}:`, store.settings),
    machine,
    processes: createProcesses(machine.environment),
    ...(desk && { desk }),
    ...(approvalsOf && { approvals: approvalsOf(id) }),
    now: Date.now,
  }
}
