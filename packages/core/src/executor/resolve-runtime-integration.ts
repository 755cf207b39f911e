import type { Capabilities } from './capabilities.ts'

/** How the host works with a runtime. */
export interface RuntimeIntegrationPlan {
  /** connected: the runtime's own, elsewhere. persistent: one folder per agent. ephemeral: a folder per run. */
  readonly home: 'connected' | 'persistent' | 'ephemeral'
  /** Skills that an agent acquires in the runtime are still there at its next run. */
  readonly keepsSkills: boolean
  /** The runtime's own memory of an agent is still there at its next run. */
  readonly keepsMemory: boolean
  /** own-channels: the runtime also delivers messages over channels of its own, such as a chat app. */
  readonly delivery: 'own-channels' | 'host'
  /** False: the dispatcher starts no task on it, and refuses before it claims one. */
  readonly dispatchable: boolean
}

/** Total: a claim that is missing or unknown leads to the conservative plan of one process per run. */
export function resolveRuntimeIntegration(
  capabilities: Partial<Capabilities> | null | undefined,
): RuntimeIntegrationPlan {
  const home = homeOf(capabilities)
  const keeps = home !== 'ephemeral'
  return {
    home,
    keepsSkills: keeps && capabilities?.nativeSkills === true,
    keepsMemory: keeps && capabilities?.nativeMemory === true,
    delivery: home === 'connected' && capabilities?.nativeChannels === true ? 'own-channels' : 'host',
    dispatchable: home !== 'connected',
  }
}

function homeOf(capabilities: Partial<Capabilities> | null | undefined): RuntimeIntegrationPlan['home'] {
  if (capabilities?.runtimeClass === 'connected-substrate') return 'connected'
  if (capabilities?.runtimeClass === 'native') return 'persistent'
  return capabilities?.nativeHome === true ? 'persistent' : 'ephemeral'
}
