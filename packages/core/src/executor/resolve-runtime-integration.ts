import type { Capabilities } from './capabilities.ts'

/** How the host works with a runtime. */
export interface RuntimeIntegrationPlan {
  /**
   * connected: the runtime's own, outside the host. persistent: one folder per agent. ephemeral: one folder per run.
   */
  readonly home: 'connected' | 'persistent' | 'ephemeral'
  /** Skills that an agent acquires in the runtime last until its next run. */
  readonly keepsSkills: boolean
  /** The runtime's own memory of an agent lasts until its next run. */
  readonly keepsMemory: boolean
  /** own-channels: the runtime also delivers messages over channels of its own, such as a chat app. */
  readonly delivery: 'own-channels' | 'host'
  /** False: the dispatcher starts no task on this runtime and refuses before it claims one. */
  readonly dispatchable: boolean
}

/** Total: a missing or unknown claim leads to the conservative plan of one process per run. */
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
