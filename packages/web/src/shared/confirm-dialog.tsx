import type { UseMutationResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogActions } from '../ui/dialog.tsx'
import { Problem } from './problem.tsx'

/** Asks before an action that cannot be undone, and shows why it failed. */
export function ConfirmDialog<Out>(props: {
  readonly title: string
  readonly change: UseMutationResult<Out, Error, void>
  /** Completes "Couldn't …". */
  readonly action: string
  /** The text of the confirming button, and its text during the action. */
  readonly confirm: readonly [words: string, pending: string]
  /** The text of the button that closes the dialog. */
  readonly keep: string
  readonly kind?: 'primary' | 'danger-primary'
  readonly isDisabled?: boolean
  readonly onDone: (out: Out) => void
  readonly onClose: () => void
  readonly children: ReactNode
}) {
  const { change, kind = 'danger-primary' } = props
  const [words, pending] = props.confirm
  // `mutate` would not run its callbacks if an event unmounts this dialog before the response.
  // The dialog shows the error.
  const run = () => void change.mutateAsync().then(props.onDone, () => undefined)
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (!props.isDisabled && !change.isPending) run()
        }}
      >
        <div className="flex flex-col gap-2 text-muted">{props.children}</div>
        <Problem error={change.error} action={props.action} className="mt-2" />
        <DialogActions>
          <Button onClick={props.onClose}>{props.keep}</Button>
          <Button type="submit" kind={kind} disabled={props.isDisabled || change.isPending}>
            {change.isPending ? pending : words}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
