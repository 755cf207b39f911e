import { useState } from 'react'
import { type Provider, useStoreKey } from '../../../api/providers.ts'
import { saveProblem } from '../../../shared/problem-words.ts'
import { KeyForm } from '../../../shared/provider/key-form.tsx'
import { keyProblem, plainLabel, providerState, SCRIPTED } from '../../../shared/provider/provider-words.ts'
import { announce } from '../../../ui/announcement.tsx'
import { focusFirstIn, focusHeading, usePassesFocus } from '../../../ui/keyboard/focus-place.ts'
import { Code } from '../../../ui/page-header.tsx'
import { Pill } from '../../../ui/pill.tsx'
import { ModelTable } from './model-table.tsx'
import { ProviderActions } from './provider-actions.tsx'

/** One provider: its state, its key and its models. */
export function ProviderCard({ provider }: { provider: Provider }) {
  const [pasting, setPasting] = useState(false)
  const card = usePassesFocus<HTMLLIElement>(() => {
    if (!focusFirstIn(card.current)) focusHeading()
  })
  const storeKey = useStoreKey(provider.id)
  const label = plainLabel(provider)
  const { word, tone } = providerState(provider)
  return (
    <li ref={card} aria-label={label} className="rounded-m border border-line px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <h3 className="font-[560]">{label}</h3>
        {provider.scripted ? <Pill tone="outline">{SCRIPTED}</Pill> : null}
        <span className="ml-auto">
          <Pill tone={tone}>{word}</Pill>
        </span>
      </div>
      <ProviderLine provider={provider} />
      {pasting ? (
        <div className="mt-3">
          <KeyForm
            label={label}
            keyPage={provider.keyPage}
            store={(key, storeAnyway) => storeKey.mutateAsync({ key, storeAnyway })}
            explain={saveProblem}
            onCancel={() => setPasting(false)}
            onStored={(check) => {
              setPasting(false)
              const problem = keyProblem(check, label)
              announce(problem ? `Stored anyway. ${problem}` : `Stored the key for ${label}. It works.`)
            }}
          />
        </div>
      ) : (
        <ProviderActions provider={provider} label={label} onPaste={() => setPasting(true)} />
      )}
      <ModelTable models={provider.models} label={label} />
    </li>
  )
}

function ProviderLine({ provider }: { provider: Provider }) {
  const key = provider.keyStored ? 'A key is stored.' : provider.needsKey ? 'No key is stored.' : 'Needs no key.'
  const detail = provider.state === 'needs-key' || !provider.detail ? '' : ` ${provider.detail}`
  return (
    <p className="mt-0.5 text-sm text-muted">
      {provider.scripted ? 'Its answers are scripted. Use it to try things without a key.' : key + detail}
      {provider.builtIn || !provider.baseUrl ? null : (
        <>
          {' At '}
          <Code>{provider.baseUrl}</Code>
        </>
      )}
    </p>
  )
}
