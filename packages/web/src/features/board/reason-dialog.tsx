import { TASK_REASON_CHARACTERS } from '@clawboo/core/board'
import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { useStoredDraft } from '../../ui/state/use-stored-draft.ts'
import { TextArea } from '../../ui/text-field.tsx'

export function ReasonDialog(props: {
  readonly taskId: string
  readonly title: string
  readonly to: 'blocked' | 'cancelled'
  readonly onGive: (reason: string) => void
  readonly onClose: () => void
}) {
  const [reason, setReason] = useStoredDraft(`clawboo.reason.${props.taskId}.${props.to}`)
  const [isMissing, setMissing] = useState(false)
  const isBlocking = props.to === 'blocked'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (reason.trim() === '') setMissing(true)
    else {
      setReason('')
      props.onGive(reason.trim())
    }
  }
  return (
    <Dialog title={`${isBlocking ? 'Block' : 'Cancel'} “${props.title}”?`} onClose={props.onClose}>
      <form onSubmit={submit} noValidate>
        <p className="mb-3 text-muted">
          {isBlocking
            ? 'It stays blocked until you resume it. Tasks that wait for it keep waiting.'
            : 'Tasks that wait for it, and subtasks that have not started, are cancelled too.'}
        </p>
        <TextArea
          label="Why"
          rows={3}
          maxLength={TASK_REASON_CHARACTERS}
          value={reason}
          error={isMissing && reason.trim() === '' ? 'Enter a reason. The card shows it.' : undefined}
          onChange={(event) => setReason(event.target.value)}
        />
        <DialogActions>
          <Button onClick={props.onClose}>Leave it unchanged</Button>
          <Button type="submit" kind={isBlocking ? 'primary' : 'danger-primary'}>
            {isBlocking ? 'Block it' : 'Cancel the task'}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
