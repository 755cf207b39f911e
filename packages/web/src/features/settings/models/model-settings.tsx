import { useProviders } from '../../../api/providers.ts'
import { Loaded } from '../../../shared/loaded.tsx'
import { Section } from '../../../ui/page-header.tsx'
import { DefaultsForm } from './defaults-form.tsx'
import { OwnProviderForm } from './own-provider-form.tsx'
import { ProviderCard } from './provider-card.tsx'

export function ModelSettings() {
  return (
    <Loaded reading={useProviders()} name="the providers" rows={5}>
      {(data) => (
        <>
          <Section title="Providers" about="The services that run models. A stored key is never shown again.">
            <ul className="flex flex-col gap-2">
              {data.providers.map((provider) => (
                <ProviderCard key={provider.id} provider={provider} />
              ))}
            </ul>
            <OwnProviderForm taken={data.providers.map(({ id }) => id)} />
          </Section>
          <Section
            title="Default model"
            about="For every Boo without a model of its own. Takes effect on the next run."
          >
            <DefaultsForm providers={data.providers} defaults={data.defaults} />
          </Section>
        </>
      )}
    </Loaded>
  )
}
