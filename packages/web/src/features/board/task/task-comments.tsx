import type { TaskComment, TaskDetail } from '../../../api/tasks.ts'
import { MarkdownText } from '../../../ui/markdown/markdown-text.tsx'
import { useNow } from '../../../ui/state/use-now.ts'
import { ago, exactTime } from '../../../ui/words/time-words.ts'
import type { Participants } from '../participants.ts'
import { CommentForm } from './comment-form.tsx'
import { Part } from './panel-frame.tsx'

export function TaskComments({ detail, participants }: { detail: TaskDetail; participants: Participants }) {
  const { task, comments } = detail
  return (
    <Part title="Comments">
      {comments.length === 0 ? (
        <p className="text-muted">No comments yet. The next attempt sees yours.</p>
      ) : (
        <ul aria-label="Comments" className="flex flex-col gap-3">
          {comments.map((comment) => (
            <li key={comment.id}>
              <CommentView comment={comment} participants={participants} />
            </li>
          ))}
        </ul>
      )}
      <CommentForm taskId={task.id} label="Write a comment" />
    </Part>
  )
}

export function CommentView(props: {
  readonly comment: TaskComment
  readonly participants: Participants
  /** Whether the position already shows the file and line. */
  readonly isInPlace?: boolean
}) {
  const { comment } = props
  const now = useNow()
  return (
    <article className="flex min-w-0 flex-col gap-0.5">
      <p className="text-sm text-muted">
        <span className="font-[550] text-text">{props.participants.nameOf(comment.author)}</span>
        <span title={exactTime(comment.createdAt)}>{` · ${ago(comment.createdAt, now)}`}</span>
        {comment.file === null || props.isInPlace ? null : (
          <span className="font-mono text-xs">
            {` · ${comment.file}${comment.line === null ? '' : `:${comment.line}`}`}
          </span>
        )}
      </p>
      <MarkdownText text={comment.body} />
    </article>
  )
}
