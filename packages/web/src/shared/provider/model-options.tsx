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

export function RuntimeModelOptions(props: {
  readonly models: readonly { readonly ref: string; readonly label: string }[]
  /** Stays in the list, even if the runtime does not offer it. */
  readonly chosen: string | null
}) {
  const { models, chosen } = props
  const known = models.some(({ ref }) => ref === chosen)
  return (
    <>
      {chosen && !known ? <option value={chosen}>{`${chosen} (not in the list)`}</option> : null}
      {models.map(({ ref, label }) => (
        <option key={ref} value={ref}>
          {label === ref || ref.endsWith(`/${label}`) ? ref : `${label} (${ref})`}
        </option>
      ))}
    </>
  )
}
