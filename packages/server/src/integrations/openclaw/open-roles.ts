import type { SourceConnection, SourceToolPolicy } from '@clawboo/core/registry'
import type { IntegrationHost } from '../host.ts'
import { createOpenClawAgentSource, type OpenClawAgentSource } from './agent-source.ts'
import { createConnectionSettings, createSourceConnection, restoredConnection } from './connection-settings.ts'
import { deviceKeys } from './gateway/device-keys.ts'
import { createGatewayConnection } from './gateway/gateway-connection.ts'
import { createOutsideApprovals } from './outside-approvals.ts'
import { ActiveRuns } from './runtime/active-runs.ts'
import { createGatewaySessions } from './runtime/gateway-sessions.ts'
import { createOpenClawRuntime, type OpenClawRuntime } from './runtime/runtime.ts'
import { createToolPolicy } from './tool-policy.ts'

export interface OpenClawRoles {
  readonly agentSource: OpenClawAgentSource
  readonly runtime: OpenClawRuntime
  readonly connection: SourceConnection
  readonly toolPolicy: SourceToolPolicy
}

/** One connection, shared by all roles. Opens nothing yet. */
export function openRoles(host: IntegrationHost): OpenClawRoles {
  const gateway = createGatewayConnection({ now: host.now, deviceKeys: () => deviceKeys(host.secrets) })
  const settings = createConnectionSettings(host)
  const restored = restoredConnection(gateway, settings)
  const sessions = createGatewaySessions(gateway, host.settings)
  // Created first, so that a run receives its own approvals before any other listener.
  const runs = new ActiveRuns(gateway, sessions)
  const { approvals, now } = host
  const outside = createOutsideApprovals(gateway, { approvals, now, claims: (asked) => runs.claims(asked) })
  return {
    agentSource: createOpenClawAgentSource({
      host,
      gateway,
      sessions,
      runs,
      outside,
      resume: restored.resume,
    }),
    runtime: createOpenClawRuntime(gateway, sessions, runs, restored.answered),
    connection: createSourceConnection(host, gateway, settings, outside),
    toolPolicy: createToolPolicy(gateway),
  }
}
