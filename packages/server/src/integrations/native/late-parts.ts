import type { ModelProviders, RuntimeAdapter } from '@clawboo/core/executor'
import type { IntegrationHost } from '../host.ts'
import { endedEvents } from './ended-events.ts'
import { DEMO_CANDIDATE } from './models/demo-candidate.ts'
import { refOf } from './models/failover.ts'
import { NATIVE_CAPABILITIES, nativeSessionCodec } from './native-claims.ts'
import { NATIVE_ID } from './native-id.ts'
import type { WorkingParts } from './working-parts.ts'
import { viewWorkspace } from './workspace-view.ts'

/**
 * The runtime and the models, loaded when somebody first needs them: they are most of the program, and a server answers
 * sooner without.
 */
export function openLate(host: IntegrationHost): { runtime: RuntimeAdapter; modelProviders: ModelProviders } {
  let loading: Promise<WorkingParts> | null = null
  let loaded: WorkingParts | null = null
  const listeners = new Set<() => void>()
  const changed = () => {
    for (const listener of listeners) listener()
  }
  const load = (): Promise<WorkingParts> => {
    loading ??= import('./working-parts.ts').then(({ openWorkingParts }) => {
      loaded = openWorkingParts(host, changed)
      return loaded
    })
    return loading
  }
  return {
    runtime: lateRuntime(
      host,
      load,
      () => loaded,
      () => loading,
    ),
    modelProviders: lateProviders(load, listeners),
  }
}

function lateRuntime(
  host: IntegrationHost,
  load: () => Promise<WorkingParts>,
  loaded: () => WorkingParts | null,
  loading: () => Promise<WorkingParts> | null,
): RuntimeAdapter {
  const work = async () => (await load()).runtime
  return {
    id: NATIVE_ID,
    participantKind: 'agent',
    capabilities: () => NATIVE_CAPABILITIES,
    health: async () => ({ state: 'ready', detail: null }),
    sessionCodec: nativeSessionCodec,
    start: async (task, options) => (await work()).start(task, options),
    // There is a run only when everything is there.
    events: (run) => loaded()?.runtime.events(run) ?? endedEvents(),
    abort: async (run) => (await work()).abort(run),
    steer: async (run, prompt) => (await work()).steer(run, prompt),
    setModel: async (run, model) => (await work()).setModel(run, model),
    checkModel: async (model) => (await work()).checkModel(model),
    answerApproval: async (run, approvalId, answer) => (await work()).answerApproval(run, approvalId, answer),
    hasPrompt: async (agent, sessionKey, promptId) => (await work()).hasPrompt(agent, sessionKey, promptId),
    resetSession: async (agent, sessionKey) => (await work()).resetSession(agent, sessionKey),
    inspect: async (agent, sessionKey) => (await work()).inspect(agent, sessionKey),
    workspace: (agent) => viewWorkspace(host.files.folder(`${agent.id}/workspace`)),
    forget: async (agentId) => (await loading())?.runtime.forget(agentId),
    dispose: async () => (await loading())?.runtime.dispose(),
  }
}

function lateProviders(load: () => Promise<WorkingParts>, listeners: Set<() => void>): ModelProviders {
  const work = async () => (await load()).modelProviders
  return {
    demoModel: refOf(DEMO_CANDIDATE),
    list: async () => (await work()).list(),
    check: async (providerId) => (await work()).check(providerId),
    storeKey: async (providerId, key, storeAnyway) => (await work()).storeKey(providerId, key, storeAnyway),
    removeKey: async (providerId) => (await work()).removeKey(providerId),
    save: async (providerId, provider) => (await work()).save(providerId, provider),
    remove: async (providerId) => (await work()).remove(providerId),
    defaults: async () => (await work()).defaults(),
    setDefaults: async (patch) => (await work()).setDefaults(patch),
    findLocal: async () => (await work()).findLocal(),
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
