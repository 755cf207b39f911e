import type { Integration } from '../host.ts'
import { createOpenClawAgentSource } from './agent-source.ts'
import { createConnectionSettings } from './connection-settings.ts'
import { OPENCLAW_DESCRIPTOR } from './descriptor.ts'
import { deviceKeys } from './gateway/device-keys.ts'
import { createGatewayConnection } from './gateway/gateway-connection.ts'
import { OPENCLAW_ID } from './openclaw-id.ts'
import { createOpenClawRuntime } from './runtime/runtime.ts'
import { createSourceConnection } from './source-connection.ts'
import { createToolPolicy } from './tool-policy.ts'

/** An OpenClaw Gateway on this machine or elsewhere: one connection, shared by everything below. */
export const openClawIntegration: Integration = {
  id: OPENCLAW_ID,
  descriptors: [OPENCLAW_DESCRIPTOR],
  open(host) {
    const gateway = createGatewayConnection({ now: host.now, deviceKeys: () => deviceKeys(host.secrets) })
    const settings = createConnectionSettings(host)
    const resume = async () => {
      const address = await settings.address()
      if (address !== null && gateway.status().state === 'disconnected')
        void gateway.open({ address, secret: await settings.secretFor(address) })
    }
    return {
      agentSource: createOpenClawAgentSource({ host, gateway, resume }),
      runtime: createOpenClawRuntime(gateway),
      toolPolicy: createToolPolicy(gateway),
      connection: createSourceConnection(host, gateway, settings),
    }
  },
}
