import { useState } from 'react'
import { readProblem, writeProblem } from '../../api/problem-words.ts'
import { type Provider, useProviders, useStoreKey } from '../../api/providers.ts'
import { announce } from '../../ui/announcement.tsx'
import { Button } from '../../ui/button.tsx'
import { KeyForm } from '../../ui/key-form.tsx'
import { keyProblem } from '../../ui/provider-words.ts'
import { ChoiceCard } from './choice-card.tsx'
import { ModelStep } from './model-step.tsx'

export function KeyChoice() {
  const { data, error, refetch } = useProviders()
  const [chosenId, setChosenId] = useState<string | null>(null)
  const [storedId, setStoredId] = useState<string | null>(null)
  const takers = data?.providers.filter(({ needsKey }) => needsKey) ?? []
  const chosen = takers.find(({ id }) => id === chosenId)
  const stored = takers.find(({ id }) => id === storedId)
  return (
    <ChoiceCard
      title="Paste a provider key"
      about="For answers of a real model. The key is proved by one real request before it is stored."
    >
      {stored ? (
        <ModelStep words={`${stored.label} is set up.`} providers={[stored]} />
      ) : error ? (
        <p role="alert" className="flex flex-wrap items-center gap-3 text-sm text-bad">
          {readProblem(error, 'The providers').title}
          <Button onClick={() => void refetch()}>Try again</Button>
        </p>
      ) : data ? (
        <div className="flex flex-col gap-3">
          <ProviderButtons providers={takers} chosenId={chosenId} onChoose={setChosenId} />
          {chosen ? <PasteKey key={chosen.id} provider={chosen} onStored={() => setStoredId(chosen.id)} /> : null}
        </div>
      ) : (
        <p role="status" className="text-sm text-muted">
          Loading the providers
        </p>
      )}
    </ChoiceCard>
  )
}

function ProviderButtons(props: {
  readonly providers: readonly Provider[]
  readonly chosenId: string | null
  readonly onChoose: (id: string) => void
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset brings a border and a legend that this row has no place for
    <div role="group" aria-label="Provider" className="flex flex-wrap gap-2">
      {props.providers.map(({ id, label }) => (
        <Button
          key={id}
          aria-pressed={id === props.chosenId}
          onClick={() => props.onChoose(id)}
          className="aria-pressed:border-accent aria-pressed:bg-accent-soft"
        >
          {label}
        </Button>
      ))}
    </div>
  )
}

function PasteKey({ provider, onStored }: { provider: Provider; onStored: () => void }) {
  const storeKey = useStoreKey(provider.id)
  return (
    <KeyForm
      label={provider.label}
      keyPage={provider.keyPage}
      store={(key, storeAnyway) => storeKey.mutateAsync({ key, storeAnyway })}
      explain={writeProblem}
      onStored={(check) => {
        const problem = keyProblem(check, provider.label)
        announce(problem ? `Stored all the same. ${problem}` : `Stored the key for ${provider.label}; it works`)
        onStored()
      }}
    />
  )
}
