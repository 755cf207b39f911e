import { type Agent, useRuntimes } from '../../api/fleet.ts'
import { useProviders } from '../../api/providers.ts'
import { modelInForce, modelOf } from './model-in-force.ts'

/** Returns a function that checks whether the model of a Boo's next run is scripted. */
export function useIsScripted(): (agent: Pick<Agent, 'execConfig' | 'participantKind' | 'runtime'>) => boolean {
  const providers = useProviders().data
  const runtimes = useRuntimes().data
  return ({ execConfig, participantKind, runtime }) =>
    providers !== undefined &&
    participantKind === 'agent' &&
    runtimes?.find(({ id }) => id === runtime)?.ownModels === false &&
    modelInForce(providers, { conversation: null, agent: modelOf(execConfig) }).scripted
}
