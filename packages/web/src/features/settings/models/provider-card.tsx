import { useState } from 'react'
import {
  type ProvidedModel,
  type Provider,
  useCheckKey,
  useRemoveKey,
  useRemoveProvider,
} from '../../../api/providers.ts'
import { ConfirmDialog } from '../../../shared/confirm-dialog.tsx'
import { problemWords } from '../../../shared/problem-words.ts'
import { KeyForm } from '../../../shared/provider/key-form.tsx'
import { keyProblem, plainLabel, providerState, SCRIPTED } from '../../../shared/provider/provider-words.ts'
import { tokenWords } from '../../../shared/run/run-words.ts'
import { announce } from '../../../ui/announcement.tsx'
import { Button } from '../../../ui/button.tsx'
import { focusFirstIn, focusHeading, usePassesFocus } from '../../../ui/keyboard/focus-place.ts'
import { Code } from '../../../ui/page-header.tsx'
import { Pill } from '../../../ui/pill.tsx'
import { counted } from '../../../ui/words/time-words.ts'

export function ProviderCard({ provider }: { provider: Provider }) {
  const [pasting, setPasting] = useState(false)
  const card = usePassesFocus<HTMLLIElement>(() => {
    if (!focusFirstIn(card.current)) focusHeading()
  })
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
          <KeyForm provider={provider} onCancel={() => setPasting(false)} onStored={() => setPasting(false)} />
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

function ModelTable({ models, label }: { models: readonly ProvidedModel[]; label: string }) {
  if (models.length === 0) return null
  return (
    <details className="mt-2 text-sm">
      <summary className="w-fit rounded-s text-muted hover:text-text">{counted(models.length, 'model')}</summary>
      <div className="mt-1 overflow-x-auto">
        <table className="w-full border-collapse tabular-nums">
          <caption className="sr-only">{`Models of ${label}`}</caption>
          <thead className="text-left text-xs text-muted">
            <tr>
              <th className="py-1 font-[550]">Model</th>
              <th className="py-1 pl-4 text-right font-[550]">Window</th>
              <th className="py-1 pl-4 text-right font-[550]">In</th>
              <th className="py-1 pl-4 text-right font-[550]">Out</th>
            </tr>
          </thead>
          <tbody>
            {models.map(({ ref, label: name, contextWindowTokens, price }) => (
              <tr key={ref} className="border-t border-line">
                <td className="py-1 break-all">{name}</td>
                <td className="py-1 pl-4 text-right whitespace-nowrap">
                  {contextWindowTokens === null ? '–' : tokenWords(contextWindowTokens)}
                </td>
                <td className="py-1 pl-4 text-right whitespace-nowrap">{priceWords(price?.inputUsd)}</td>
                <td className="py-1 pl-4 text-right whitespace-nowrap">{priceWords(price?.outputUsd)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="mt-1 text-xs text-muted">Prices are dollars per million tokens. – means unknown.</p>
    </details>
  )
}

function priceWords(usd: number | undefined): string {
  return usd === undefined ? '–' : `$${usd.toLocaleString('en-US', { minimumFractionDigits: 2 })}`
}

/** The actions of a provider; none for the scripted provider, which cannot be removed. */
function ProviderActions(props: { readonly provider: Provider; readonly label: string; readonly onPaste: () => void }) {
  const { provider, label } = props
  const [removing, setRemoving] = useState<'key' | 'provider' | null>(null)
  const check = useCheckKey(provider.id)
  if (provider.scripted) return null
  const takesKey = provider.needsKey || !provider.builtIn
  const checkAgain = () =>
    check.mutate(undefined, {
      onSuccess: (result) => {
        const problem = keyProblem(result, label)
        announce(problem ?? `${label} answers`, problem ? 'bad' : 'plain')
      },
      onError: (error) => announce(problemWords(error, 'check it'), 'bad'),
    })
  return (
    <div className="mt-2 flex flex-wrap gap-2">
      {takesKey ? (
        <Button onClick={props.onPaste}>{provider.keyStored ? 'Replace the key' : 'Paste a key'}</Button>
      ) : null}
      {provider.keyStored || !provider.needsKey ? (
        <Button onClick={checkAgain} disabled={check.isPending}>
          {check.isPending ? 'Checking' : 'Check again'}
        </Button>
      ) : null}
      {provider.keyStored ? (
        <Button kind="quiet" onClick={() => setRemoving('key')}>
          Remove the key
        </Button>
      ) : null}
      {provider.builtIn ? null : (
        <Button kind="quiet" onClick={() => setRemoving('provider')}>
          Remove this provider
        </Button>
      )}
      {removing ? (
        <RemoveDialog provider={provider} label={label} what={removing} onClose={() => setRemoving(null)} />
      ) : null}
    </div>
  )
}

function RemoveDialog(props: {
  readonly provider: Provider
  readonly label: string
  readonly what: 'key' | 'provider'
  readonly onClose: () => void
}) {
  const { provider, label, what, onClose } = props
  const removeKey = useRemoveKey(provider.id)
  const removeProvider = useRemoveProvider(provider.id)
  const words =
    what === 'key'
      ? `The key for ${label} is deleted from this computer. Boos that use its models stop until you add another key.`
      : `${label} and its key are deleted from this computer. Boos that use its models stop until you choose another model.`
  return (
    <ConfirmDialog
      title={what === 'key' ? `Remove the key for ${label}?` : `Remove ${label}?`}
      change={what === 'key' ? removeKey : removeProvider}
      action="remove it"
      confirm={['Remove it', 'Removing']}
      keep="Keep it"
      onClose={onClose}
      onDone={() => {
        announce(what === 'key' ? `Removed the key for ${label}` : `Removed ${label}`)
        onClose()
      }}
    >
      <p>{words}</p>
    </ConfirmDialog>
  )
}
