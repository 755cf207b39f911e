import type { ModelProviders, RuntimeAdapter } from '@clawboo/core/executor'
import type { IntegrationHost } from '../host.ts'
import { endedEvents } from './ended-events.ts'
import { DEMO_CANDIDATE } from './models/demo/demo-candidate.ts'
import { refOf } from './models/failover/failover.ts'
import { nativeCapabilities, nativeSessionCodec } from './native-claims.ts'
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
  /** Calls reach the parts in the order in which they were made, and at once when the parts are there. */
  const withParts: WithParts = (use) => (loaded ? use(loaded) : load().then(use))
  const ifLoaded: UseParts = async (use) => (loaded ? use(loaded) : loading?.then(use))
  const runtime = lateRuntime(host, withParts, ifLoaded, () => loaded)
  return { runtime, modelProviders: lateProviders(withParts, listeners) }
}

type WithParts = <T>(use: (parts: WorkingParts) => Promise<T>) => Promise<T>
type UseParts = (use: (parts: WorkingParts) => Promise<void>) => Promise<void>

function lateRuntime(
  host: IntegrationHost,
  withParts: WithParts,
  ifLoaded: UseParts,
  loaded: () => WorkingParts | null,
): RuntimeAdapter {
  const claims = nativeCapabilities(host)
  return {
    id: NATIVE_ID,
    participantKind: 'agent',
    capabilities: () => claims,
    health: async () => ({ state: 'ready', detail: null }),
    sessionCodec: nativeSessionCodec,
    start: (task, options) => withParts(({ runtime }) => runtime.start(task, options)),
    // There is a run only when everything is there.
    events: (run) => loaded()?.runtime.events(run) ?? endedEvents(),
    abort: (run) => withParts(({ runtime }) => runtime.abort(run)),
    steer: (run, prompt) => withParts(({ runtime }) => runtime.steer(run, prompt)),
    setModel: (run, model) => withParts(({ runtime }) => runtime.setModel(run, model)),
    checkModel: (model) => withParts(({ runtime }) => runtime.checkModel(model)),
    answerApproval: (run, approvalId, answer) =>
      withParts(({ runtime }) => runtime.answerApproval(run, approvalId, answer)),
    hasPrompt: (agent, sessionKey, promptId) =>
      withParts(({ runtime }) => runtime.hasPrompt(agent, sessionKey, promptId)),
    resetSession: (agent, sessionKey) => withParts(({ runtime }) => runtime.resetSession(agent, sessionKey)),
    inspect: (agent, sessionKey) => withParts(({ runtime }) => runtime.inspect(agent, sessionKey)),
    workspace: (agent) => viewWorkspace(host.files.folder(`${agent.id}/workspace`)),
    forget: (agentId) => ifLoaded(({ runtime }) => runtime.forget(agentId)),
    dispose: () => ifLoaded(({ runtime }) => runtime.dispose()),
  }
}

function lateProviders(withParts: WithParts, listeners: Set<() => void>): ModelProviders {
  return {
    demoModel: refOf(DEMO_CANDIDATE),
    list: () => withParts(({ modelProviders }) => modelProviders.list()),
    check: (providerId) => withParts(({ modelProviders }) => modelProviders.check(providerId)),
    storeKey: (providerId, key, storeAnyway) =>
      withParts(({ modelProviders }) => modelProviders.storeKey(providerId, key, storeAnyway)),
    removeKey: (providerId) => withParts(({ modelProviders }) => modelProviders.removeKey(providerId)),
    save: (providerId, provider) => withParts(({ modelProviders }) => modelProviders.save(providerId, provider)),
    remove: (providerId) => withParts(({ modelProviders }) => modelProviders.remove(providerId)),
    defaults: () => withParts(({ modelProviders }) => modelProviders.defaults()),
    setDefaults: (patch) => withParts(({ modelProviders }) => modelProviders.setDefaults(patch)),
    findLocal: () => withParts(({ modelProviders }) => modelProviders.findLocal()),
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
