import type { SourceConnection, SourceToolPolicy } from '@clawboo/core/registry'
import type { IntegrationHost } from '../host.ts'
import { createOpenClawAgentSource, type OpenClawAgentSource } from './agent-source.ts'
import { createConnectionSettings } from './connection-settings.ts'
import { deviceKeys } from './gateway/device-keys.ts'
import { createGatewayConnection } from './gateway/gateway-connection.ts'
import { createOpenClawRuntime, type OpenClawRuntime } from './runtime/runtime.ts'
import { createSourceConnection } from './source-connection.ts'
import { createToolPolicy } from './tool-policy.ts'

export interface OpenClawRoles {
  readonly agentSource: OpenClawAgentSource
  readonly runtime: OpenClawRuntime
  readonly connection: SourceConnection
  readonly toolPolicy: SourceToolPolicy
}

/** One connection, shared by everything below. Opens nothing yet. */
export function openRoles(host: IntegrationHost): OpenClawRoles {
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
    connection: createSourceConnection(host, gateway, settings),
    toolPolicy: createToolPolicy(gateway),
  }
}
