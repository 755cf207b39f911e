import { type FormEvent, useState } from 'react'
import { type TaskAttempt, type TaskDetail, useComment, useMoveTask } from '../../../../api/tasks.ts'
import { Problem } from '../../../../shared/problem.tsx'
import { TEXT_IS_KEPT } from '../../../../shared/problem-words.ts'
import { announce } from '../../../../ui/announcement.tsx'
import { Button } from '../../../../ui/button.tsx'
import { useStoredDraft } from '../../../../ui/state/use-stored-draft.ts'
import { TextArea } from '../../../../ui/text-field.tsx'
import { counted } from '../../../../ui/words/time-words.ts'

export const askKey = (taskId: string) => `clawboo.ask.${taskId}`

/** The text goes to the next attempt, together with the comments on lines. */
export function AskForChanges({ detail, attempt, onClose }: ReviewProps & { readonly onClose: () => void }) {
  const { task } = detail
  const [text, type] = useStoredDraft(askKey(task.id))
  const [isMissing, setMissing] = useState(false)
  const comment = useComment(task.id)
  const move = useMoveTask()
  const since = attempt.endedAt ?? attempt.startedAt
  const commentCount = detail.comments.filter(
    ({ author, createdAt }) => author.kind !== 'host' && createdAt >= since,
  ).length
  const isPending = comment.isPending || move.isPending
  const send = async (event: FormEvent) => {
    event.preventDefault()
    if (isPending) return
    if (text.trim() === '' && commentCount === 0) return setMissing(true)
    try {
      if (text.trim() !== '') await comment.mutateAsync({ body: text })
      type('')
      await move.mutateAsync({ taskId: task.id, to: 'todo' })
      announce(`“${task.title}” moved to To do with your comments.`)
      onClose()
    } catch {
      // Both forms show their own errors below.
    }
  }
  return (
    <form
      onSubmit={(event) => void send(event)}
      noValidate
      className="flex flex-col gap-2 rounded-m border border-line p-3"
    >
      <TextArea
        label="Changes to make"
        hint={
          commentCount === 0
            ? 'The next attempt sees it. The task moves back to To do.'
            : `The next attempt sees it with your ${counted(commentCount, 'comment')}. The task moves back to To do.`
        }
        rows={3}
        value={text}
        error={isMissing && text.trim() === '' ? 'Describe the changes, here or on a line.' : undefined}
        onChange={(event) => type(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.stopPropagation()
          onClose()
        }}
        autoFocus={text === ''}
      />
      <Problem error={comment.error} action="comment" kept={TEXT_IS_KEPT} />
      <Problem error={move.error} action="move the task" kept="Your comment is saved." />
      <div className="flex gap-2">
        <Button type="submit" kind="primary" disabled={isPending}>
          {isPending ? 'Sending' : 'Request changes'}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </form>
  )
}

export interface ReviewProps {
  readonly detail: TaskDetail
  readonly attempt: TaskAttempt
  readonly branch: string | null
  readonly fileCount: number
}
