import { fixedCatalogue } from '@clawboo/core/executor'
import type { Integration } from '../host.ts'
import { isConnectionConfigured, OPENCLAW_DESCRIPTOR, OPENCLAW_ID } from './descriptor.ts'
import type { OpenClawRoles } from './open-roles.ts'

/** An OpenClaw Gateway on this machine or elsewhere. */
export const openClawIntegration: Integration = {
  id: OPENCLAW_ID,
  open(host) {
    let opened: OpenClawRoles | null = null
    /** The runtime and the agent source share one connection. */
    const open = async () => {
      const { openRoles } = await import('./open-roles.ts')
      opened ??= openRoles(host)
      return opened
    }
    return {
      runtimes: fixedCatalogue({
        descriptor: OPENCLAW_DESCRIPTOR,
        checkExecConfig: async (config) => (await import('./agent-config.ts')).checkExecConfig(config),
        load: async () => (await open()).runtime,
      }),
      upstream: {
        label: OPENCLAW_DESCRIPTOR.label,
        isConnectable: true,
        hasToolPolicy: true,
        isWanted: () => isConnectionConfigured(host),
        load: open,
      },
    }
  },
}
