import { useMemo } from 'react'
import { type TaskAttempt, type TaskComment, type TaskDiff, useTaskDiff } from '../../../../api/tasks.ts'
import { Loaded } from '../../../../shared/loaded.tsx'
import { EmptyState } from '../../../../ui/page-states.tsx'
import { counted } from '../../../../ui/words/time-words.ts'
import type { ViewProps } from '../panel-frame.tsx'
import { DiffFileView, FilePath } from './diff-file.tsx'
import { countLines } from './diff-lines.ts'
import { ReviewBar } from './review-bar.tsx'

export function TaskChanges(props: ViewProps & { readonly attempt: TaskAttempt }) {
  const { detail, attempt } = props
  return (
    <Loaded reading={useTaskDiff(detail.task.id, attempt.id)} name="the changes">
      {(reading) => <LoadedChanges {...props} {...reading} />}
    </Loaded>
  )
}

function LoadedChanges(props: ViewProps & TaskDiff & { readonly attempt: TaskAttempt }) {
  const { detail, attempt, worktree, diff } = props
  if (!worktree || !diff) {
    return (
      <EmptyState title="No changes to review">
        <p>No finished attempt has a worktree, or its worktree was cleaned up.</p>
      </EmptyState>
    )
  }
  return (
    <>
      <ReviewBar detail={detail} attempt={attempt} branch={worktree.branch} fileCount={diff.fileCount} />
      {/* Positioned: hidden text for screen readers would otherwise extend below it and make the whole page scroll. */}
      <div className="relative min-h-0 flex-1 overflow-y-auto">
        <Summary diff={diff} />
        <Files {...props} diff={diff} />
      </div>
    </>
  )
}

type Diff = NonNullable<TaskDiff['diff']>

function Summary({ diff }: { diff: Diff }) {
  if (diff.fileCount === 0) return <EmptyState title="No changes">The project already has everything.</EmptyState>
  return (
    <nav aria-label="Changed files" className="border-b border-line px-5 py-3">
      <p className="mb-1 text-sm text-muted">
        {`${counted(diff.fileCount, 'file')} changed`}
        {diff.isCut ? '; not all of it is shown here' : ''}
        {diff.repositories.length > 0 ? `; not compared: ${diff.repositories.join(', ')}` : ''}
      </p>
      <ul className="flex max-h-[180px] flex-col overflow-y-auto">
        {diff.files.map((file, index) => {
          const { added, removed } = countLines(file)
          return (
            <li key={file.path} className="flex items-center gap-3">
              <button
                type="button"
                onClick={() => openFile(index)}
                className="flex min-w-0 items-center rounded-s text-left text-accent-text max-wide:min-h-10 hover:underline"
              >
                <FilePath path={file.path} />
              </button>
              <span className="ml-auto shrink-0 text-sm tabular-nums">
                <span className="text-good">{`+${added}`}</span>
                <span className="text-bad">{` −${removed}`}</span>
              </span>
            </li>
          )
        })}
      </ul>
      <p className="mt-1 text-sm text-muted wide:hidden">Tap a line to comment on it.</p>
    </nav>
  )
}

function openFile(index: number): void {
  const file = document.getElementById(`diff-file-${index}`)
  if (file instanceof HTMLDetailsElement) file.open = true
  file?.scrollIntoView({ block: 'start' })
  file?.querySelector<HTMLElement>('summary')?.focus({ preventScroll: true })
}

function Files({ diff, detail, attempt, participants }: ViewProps & { diff: Diff; attempt: TaskAttempt }) {
  // Comments on an earlier attempt may be on lines that no longer exist.
  const byFile = useMemo(() => {
    const since = attempt.endedAt ?? attempt.startedAt
    const found = new Map<string, TaskComment[]>()
    for (const comment of detail.comments) {
      if (comment.file === null || comment.createdAt < since) continue
      found.set(comment.file, [...(found.get(comment.file) ?? []), comment])
    }
    return found
  }, [detail.comments, attempt])
  return diff.files.map((file, index) => (
    <DiffFileView
      key={file.path}
      id={`diff-file-${index}`}
      file={file}
      taskId={detail.task.id}
      comments={byFile.get(file.path) ?? NONE}
      participants={participants}
    />
  ))
}

const NONE: readonly TaskComment[] = []
