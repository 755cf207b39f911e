import { useBlocker } from '@tanstack/react-router'
import { Button } from './button.tsx'
import { Dialog, DialogActions } from './dialog.tsx'

/** Asks before the person leaves a page with unsaved text. */
export function LeaveGuard(props: {
  readonly isDirty: () => boolean
  /** For text that survives leaving: its name, and how to discard it. */
  readonly draft?: { readonly name: string; readonly discard: () => void }
}) {
  const { isDirty, draft } = props
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && isDirty(),
    enableBeforeUnload: isDirty,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return (
    <Dialog title="Leave without saving?" onClose={blocker.reset}>
      <p className="text-muted">
        {draft ? `Your changes to ${draft.name} are not saved.` : 'Your changes are not saved.'}
      </p>
      <DialogActions>
        <Button
          kind="danger"
          onClick={() => {
            draft?.discard()
            blocker.proceed()
          }}
        >
          {draft ? 'Discard my changes' : 'Discard it'}
        </Button>
        {draft ? <Button onClick={blocker.proceed}>Leave and keep the draft</Button> : null}
        <Button kind="primary" onClick={blocker.reset}>
          Stay
        </Button>
      </DialogActions>
    </Dialog>
  )
}
