import { ClawbooError } from '@clawboo/core'
import { fixedCatalogue, NO_CAPABILITIES, type RuntimeDefinition } from '@clawboo/core/executor'
import type { Integration } from '../../../packages/server/src/integrations/host.ts'
import { createGateSource } from './agent-source.ts'
import { createGateConnection } from './connection.ts'

/** The smallest connectable integration: a list of agents behind a TCP port that requires a secret. */
export const gateIntegration: Integration = {
  id: 'gate',
  open(host) {
    const connection = createGateConnection(host)
    return {
      runtimes: fixedCatalogue(GATE),
      upstream: {
        label: 'Gate',
        isConnectable: true,
        hasToolPolicy: false,
        isWanted: async () => Boolean(await host.settings.get('address')),
        load: async () => ({ agentSource: createGateSource(host, connection), connection }),
      },
    }
  },
}

/** Nothing runs behind the gate. */
const GATE: RuntimeDefinition = {
  descriptor: {
    id: 'gate',
    label: 'Gate',
    description: 'Agents behind a port of this machine.',
    participantKind: 'agent',
    claims: NO_CAPABILITIES,
    connecting: {
      addressLabel: 'Gate address',
      addressExample: '127.0.0.1:4711',
      secretLabel: 'Gate secret',
      help: 'The secret stands in gate.json of your home folder; `gate start` starts it.',
    },
  },
  checkExecConfig: async (config) => config ?? null,
  load: async () => {
    throw new ClawbooError('agent_cannot_run', 'nothing runs behind the gate')
  },
}
