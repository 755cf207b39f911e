import { fixedCatalogue, NO_CAPABILITIES, type RuntimeDefinition } from '@clawboo/core/executor'
import type { Integration, IntegrationHost } from '../host.ts'
import { HUMAN_ID } from './human-id.ts'

/** People as participants: a run waits for a person's answers. */
export const humanIntegration: Integration = {
  id: HUMAN_ID,
  open: (host) => ({ runtimes: fixedCatalogue(defineHuman(host)) }),
}

function defineHuman(host: IntegrationHost): RuntimeDefinition {
  return {
    descriptor: {
      id: HUMAN_ID,
      label: 'Person',
      description: 'A person who works in the team.',
      participantKind: 'human',
      claims: NO_CAPABILITIES,
    },
    // Nothing is executed, so no setting can be invalid.
    checkExecConfig: async (config) => config ?? null,
    load: async () => (await import('./runtime.ts')).createPersonRuntime(host),
  }
}
