import type { Agent } from './fleet.ts'
import { modelInForce, modelOf } from './model-in-force.ts'
import { useProviders } from './providers.ts'

/** Tells whether what a Boo says is written beforehand, by the model that its next run would use. */
export function useIsScripted(): (agent: Pick<Agent, 'execConfig' | 'participantKind'>) => boolean {
  const providers = useProviders().data
  return ({ execConfig, participantKind }) =>
    providers !== undefined &&
    participantKind === 'agent' &&
    modelInForce(providers, { conversation: null, agent: modelOf(execConfig) }).scripted
}
