import { useBlocker } from '@tanstack/react-router'
import { Button } from './button.tsx'
import { Dialog, DialogActions } from './dialog.tsx'

/** Asks before the person leaves a page with unsaved text. */
export function LeaveGuard({ isDirty }: { isDirty: () => boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && isDirty(),
    enableBeforeUnload: isDirty,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return (
    <Dialog title="Leave without saving?" onClose={blocker.reset}>
      <p className="text-muted">Your changes are not saved.</p>
      <DialogActions>
        <Button kind="danger" onClick={blocker.proceed}>
          Discard it
        </Button>
        <Button kind="primary" onClick={blocker.reset}>
          Stay
        </Button>
      </DialogActions>
    </Dialog>
  )
}
