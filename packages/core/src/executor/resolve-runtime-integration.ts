import type { Capabilities } from './capabilities.ts'

/** How the host composes with a runtime. */
export interface RuntimeIntegrationPlan {
  /** connected: the runtime's own, elsewhere. persistent: one folder per agent. ephemeral: a folder per run. */
  readonly home: 'connected' | 'persistent' | 'ephemeral'
  readonly keepsSkills: boolean
  readonly keepsMemory: boolean
  readonly delivery: 'own-channels' | 'host'
  /** False: a dispatcher that starts a process per run must refuse it before it claims anything. */
  readonly dispatchable: boolean
}

/** Total: what is not claimed, or not known, gives the conservative plan of one process per run. */
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
