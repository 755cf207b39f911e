import type { Integration } from '../host.ts'
import { createNativeAgentSource } from './agent-source.ts'
import { createModelProviders } from './model-providers.ts'
import { createModels } from './models/models.ts'
import { createModelsSettings } from './models-settings.ts'
import { NATIVE_ID } from './native-id.ts'
import { createNativeRuntime } from './runtime.ts'

export const nativeIntegration: Integration = {
  id: NATIVE_ID,
  descriptors: [
    {
      id: NATIVE_ID,
      label: 'Native',
      description: 'Ships with Clawboo and needs nothing else.',
      participantKind: 'agent',
    },
    { id: 'human', label: 'Person', description: 'A person who works in the team.', participantKind: 'human' },
  ],
  open(host) {
    const settings = createModelsSettings(host)
    const models = createModels({ readSecret: host.secrets.read, settings: settings.read, now: host.now })
    return {
      agentSource: createNativeAgentSource(host),
      runtime: createNativeRuntime(host, models),
      modelProviders: createModelProviders(host, models, settings),
    }
  },
}
