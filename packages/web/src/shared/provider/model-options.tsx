import type { ModelProvider } from '@clawboo/core/executor'
import { plainLabel, providerState, SCRIPTED } from './provider-words.ts'

/** The models of every provider, for a select. Those of a provider that is not ready stay visible, with the reason. */
export function ModelOptions({ providers, chosen }: { providers: readonly ModelProvider[]; chosen?: string | null }) {
  const known = providers.some((provider) => provider.models.some(({ ref }) => ref === chosen))
  return (
    <>
      {chosen && !known ? <option value={chosen}>{`${chosen} (not in the list)`}</option> : null}
      {providers
        .filter((provider) => provider.models.length > 0)
        .map((provider) => (
          <optgroup key={provider.id} label={groupLabel(provider)}>
            {provider.models.map(({ ref, label }) => (
              <option key={ref} value={ref} disabled={provider.state !== 'ready' && ref !== chosen}>
                {label}
              </option>
            ))}
          </optgroup>
        ))}
    </>
  )
}

function groupLabel(provider: ModelProvider): string {
  const label = plainLabel(provider)
  if (provider.scripted) return `${label} (${SCRIPTED})`
  return provider.state === 'ready' ? label : `${label} (${providerState(provider).word.toLowerCase()})`
}
