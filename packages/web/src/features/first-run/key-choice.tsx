import { useState } from 'react'
import { type KeyCheck, type Provider, useCheckKey, useProviders } from '../../api/providers.ts'
import { Loaded } from '../../shared/loaded.tsx'
import { Problem } from '../../shared/problem.tsx'
import { KeyForm } from '../../shared/provider/key-form.tsx'
import { storedKeyWords } from '../../shared/provider/provider-words.ts'
import { Button } from '../../ui/button.tsx'
import { focusFirstIn, usePassesFocus } from '../../ui/keyboard/focus-place.ts'
import { ChoiceCard, ModelStep } from './model-step.tsx'

export function KeyChoice() {
  return (
    <ChoiceCard
      title="Paste a provider key"
      about="We send one small request to test the key, then store it encrypted on this computer."
    >
      <Loaded reading={useProviders()} name="the providers" inLine="text-sm">
        {({ providers }) => <Keys takers={providers.filter(({ needsKey, builtIn }) => needsKey || !builtIn)} />}
      </Loaded>
    </ChoiceCard>
  )
}

/** Stored keys come from the server; test results only from this visit. */
function Keys({ takers }: { takers: readonly Provider[] }) {
  const [checks, setChecks] = useState<Readonly<Record<string, KeyCheck>>>({})
  const [chosenId, setChosenId] = useState<string | null>(null)
  const [adding, setAdding] = useState(false)
  const chosen = takers.find(({ id }) => id === chosenId)
  const stored = takers.filter(({ keyStored }) => keyStored)
  const learn = (providerId: string, check: KeyCheck) => setChecks((before) => ({ ...before, [providerId]: check }))
  const box = usePassesFocus<HTMLDivElement>(() => focusFirstIn(box.current))
  return (
    <div ref={box} className="flex flex-col gap-3">
      {stored.map((provider) => (
        <StoredKey
          key={provider.id}
          provider={provider}
          check={checks[provider.id] ?? null}
          onChecked={(check) => learn(provider.id, check)}
        />
      ))}
      {/* A half-pasted key stays, even when another key was stored elsewhere. */}
      {stored.length > 0 && !adding && !chosen ? (
        <>
          <ModelStep key={stored.map(({ id }) => id).join(' ')} providers={stored} />
          <div>
            <Button kind="quiet" onClick={() => setAdding(true)}>
              Paste another key
            </Button>
          </div>
        </>
      ) : (
        <>
          <ProviderButtons providers={takers} chosenId={chosenId} onChoose={setChosenId} />
          {chosen ? (
            <KeyForm
              key={chosen.id}
              provider={chosen}
              onStored={(check) => {
                learn(chosen.id, check)
                setChosenId(null)
                setAdding(false)
              }}
            />
          ) : null}
          {stored.length > 0 ? (
            <div>
              <Button
                kind="quiet"
                onClick={() => {
                  setChosenId(null)
                  setAdding(false)
                }}
              >
                No other key
              </Button>
            </div>
          ) : null}
        </>
      )}
    </div>
  )
}

function StoredKey(props: {
  readonly provider: Provider
  readonly check: KeyCheck | null
  readonly onChecked: (check: KeyCheck) => void
}) {
  const { provider, check } = props
  const look = useCheckKey(provider.id)
  const works = check?.result === 'ok'
  return (
    <div className="flex flex-col gap-1">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span role="status" className={check && !works ? 'text-needs' : undefined}>
          {storedKeyWords(provider.label, check)}
        </span>
        {works ? null : (
          <Button
            aria-disabled={look.isPending}
            onClick={() => (look.isPending ? undefined : look.mutate(undefined, { onSuccess: props.onChecked }))}
          >
            {look.isPending ? 'Testing with one request' : check ? 'Check again' : 'Check it'}
          </Button>
        )}
      </p>
      {check?.detail && !works ? <p className="text-sm text-muted">{`The reason: ${check.detail}`}</p> : null}
      <Problem error={look.error} action="refresh" />
    </div>
  )
}

function ProviderButtons(props: {
  readonly providers: readonly Provider[]
  readonly chosenId: string | null
  readonly onChoose: (id: string) => void
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset adds a border and a legend that do not fit this row
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
