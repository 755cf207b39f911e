import { useState } from 'react'
import { type Provider, useCheckKey, useRemoveKey, useRemoveProvider } from '../../../api/providers.ts'
import { problemWords } from '../../../shared/problem-words.ts'
import { keyProblem } from '../../../shared/provider/provider-words.ts'
import { announce } from '../../../ui/announcement.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog.tsx'

/** The actions of a provider; none for the scripted provider, which cannot be removed. */
export function ProviderActions(props: {
  readonly provider: Provider
  readonly label: string
  readonly onPaste: () => void
}) {
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
  const remove = what === 'key' ? removeKey : removeProvider
  const words =
    what === 'key'
      ? `The key for ${label} is deleted from this computer. Boos that use its models stop until you add another key.`
      : `${label} and its key are deleted from this computer. Boos that use its models stop until they use others.`
  const gone = what === 'key' ? `Removed the key for ${label}` : `Removed ${label}`
  const confirm = () =>
    remove.mutateAsync().then(
      () => {
        announce(gone)
        onClose()
      },
      () => undefined,
    )
  return (
    <Dialog title={what === 'key' ? `Remove the key for ${label}?` : `Remove ${label}?`} onClose={onClose}>
      <p className="text-muted">{words}</p>
      {remove.error ? (
        <p role="alert" className="mt-2 text-sm text-bad">
          {problemWords(remove.error, 'remove it')}
        </p>
      ) : null}
      <DialogActions>
        <Button onClick={onClose}>Keep it</Button>
        <Button kind="danger-primary" onClick={() => void confirm()} disabled={remove.isPending}>
          {remove.isPending ? 'Removing' : 'Remove it'}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
