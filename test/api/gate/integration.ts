import type { Integration } from '../../../packages/server/src/integrations/host.ts'
import { createGateSource } from './agent-source.ts'
import { createGateConnection } from './connection.ts'

/** The smallest connectable integration: a list of agents behind a TCP port that requires a secret. */
export const gateIntegration: Integration = {
  id: 'gate',
  descriptors: [
    {
      id: 'gate',
      label: 'Gate',
      description: 'Agents behind a port of this machine.',
      participantKind: 'agent',
      connecting: {
        addressLabel: 'Gate address',
        addressExample: '127.0.0.1:4711',
        secretLabel: 'Gate secret',
        help: 'The secret is in gate.json in your home folder; `gate start` starts it.',
      },
    },
  ],
  open(host) {
    const connection = createGateConnection(host)
    return { agentSource: createGateSource(host, connection), connection }
  },
}
