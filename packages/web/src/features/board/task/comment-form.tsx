import type { FormEvent } from 'react'
import { useComment } from '../../../api/tasks.ts'
import { ProblemLine } from '../../../shared/problem.tsx'
import { saveProblem } from '../../../shared/problem-words.ts'
import { announce } from '../../../ui/announcement.tsx'
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { useStoredDraft } from '../../../ui/state/use-stored-draft.ts'
import { fieldClass } from '../../../ui/text-field.tsx'
import { type CommentPlace, commentBody, commentKey } from './comment-place.ts'

/** A comment on a task, or on a line of its changes. The browser stores the text until it is sent. */
export function CommentForm(props: {
  readonly taskId: string
  readonly label: string
  readonly place?: CommentPlace
  readonly onDone?: () => void
}) {
  const { taskId, place, onDone } = props
  const [text, type] = useStoredDraft(commentKey(taskId, place))
  const comment = useComment(taskId)
  const send = async (event?: FormEvent) => {
    event?.preventDefault()
    if (text.trim() === '' || comment.isPending) return
    // The form shows the error.
    const sent = await comment.mutateAsync(commentBody(text, place)).catch(() => null)
    if (!sent) return
    type('')
    announce('Comment added')
    onDone?.()
  }
  return (
    <form onSubmit={(event) => void send(event)} className="flex flex-col gap-2">
      <textarea
        aria-label={props.label}
        placeholder={props.label}
        rows={place ? 2 : 3}
        value={text}
        // biome-ignore lint/a11y/noAutofocus: the person chose the line to comment on it
        autoFocus={place !== undefined && text === ''}
        onChange={(event) => type(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void send()
          if (event.key === 'Escape' && onDone) {
            event.stopPropagation()
            onDone()
          }
        }}
        className={classNames(fieldClass, 'py-2 leading-normal')}
      />
      <ProblemLine>{comment.error ? saveProblem(comment.error) : null}</ProblemLine>
      <div className="flex gap-2">
        <Button type="submit" disabled={text.trim() === '' || comment.isPending}>
          {comment.isPending ? 'Sending' : 'Comment'}
        </Button>
        {onDone ? (
          <Button kind="quiet" onClick={onDone}>
            Cancel
          </Button>
        ) : null}
      </div>
    </form>
  )
}
