import { Fragment, memo, useRef, useState } from 'react'
import type { DiffFile, TaskComment } from '../../../api/tasks.ts'
import { classNames } from '../../../ui/class-names.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Pill } from '../../../ui/pill.tsx'
import type { Participants } from '../participants.ts'
import { CommentForm } from './comment-form.tsx'
import { countLines, type NumberedLine, numberLines } from './diff-lines.ts'
import { CommentView } from './task-comments.tsx'

const CHANGE_WORDS: Readonly<Record<DiffFile['change'], string>> = {
  added: 'new',
  changed: 'changed',
  removed: 'removed',
  renamed: 'renamed',
  retyped: 'another kind of file',
}

/** Longer ones are opened by hand: a generated file must not stand before everything else. */
const OPEN_LINES = 600

interface FileProps {
  readonly id: string
  readonly file: DiffFile
  readonly taskId: string
  readonly comments: readonly TaskComment[]
  readonly participants: Participants
}

/** One changed file with its hunks; every line of the new side can be commented on. */
export const DiffFileView = memo(function DiffFileView(props: FileProps) {
  const { file } = props
  const { added, removed } = countLines(file)
  const lines = file.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0)
  const [isOpen, setOpen] = useState(lines <= OPEN_LINES)
  return (
    <details
      id={props.id}
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="border-b border-line"
    >
      <summary className="sticky top-0 z-10 flex items-center gap-2 border-b border-line bg-bg px-5 py-1.5 focus-visible:outline-offset-[-2px]">
        <Icon name={isOpen ? 'down' : 'play'} size={12} />
        <span className="min-w-0 truncate font-mono text-sm">
          {file.oldPath === null ? file.path : `${file.oldPath} → ${file.path}`}
        </span>
        <Pill tone="outline">{CHANGE_WORDS[file.change]}</Pill>
        <span className="ml-auto shrink-0 text-sm tabular-nums">
          <span className="text-good">{`+${added}`}</span>
          <span className="text-bad">{` −${removed}`}</span>
        </span>
      </summary>
      {isOpen ? <FileBody {...props} /> : null}
    </details>
  )
})

function FileBody(props: FileProps) {
  const { file, comments } = props
  const [writing, setWriting] = useState<number | null>(null)
  const body = useRef<HTMLDivElement>(null)
  const shown = new Set(file.hunks.flatMap((hunk) => numberLines(hunk).flatMap(({ newLine }) => newLine ?? [])))
  const others = comments.filter(({ line }) => line === null || !shown.has(line))
  const done = () => {
    const line = writing
    setWriting(null)
    requestAnimationFrame(() => body.current?.querySelector<HTMLElement>(`[data-line="${line}"]`)?.focus())
  }
  return (
    <div ref={body} className="pb-2">
      {others.map((comment) => (
        <Remark key={comment.id} comment={comment} participants={props.participants} />
      ))}
      {file.isBinary ? <p className="px-5 py-2 text-sm text-muted">Not text; its content is not shown.</p> : null}
      {file.hunks.map((hunk) => (
        <div key={`${hunk.oldStart} ${hunk.newStart}`}>
          <p className="bg-sunken px-5 font-mono text-xs text-muted">
            {`@@ −${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`}
          </p>
          {numberLines(hunk).map((line) => (
            <Fragment key={`${line.oldLine} ${line.newLine}`}>
              <DiffLine line={line} path={file.path} onWrite={setWriting} />
              {line.newLine === null
                ? null
                : comments
                    .filter((comment) => comment.line === line.newLine)
                    .map((comment) => (
                      <Remark key={comment.id} comment={comment} participants={props.participants} isInPlace />
                    ))}
              {line.newLine !== null && writing === line.newLine ? (
                <div className="border-y border-line bg-raised px-5 py-3">
                  <CommentForm
                    taskId={props.taskId}
                    label={`Comment on line ${line.newLine} of ${file.path}`}
                    place={{ file: file.path, line: line.newLine }}
                    onDone={done}
                  />
                </div>
              ) : null}
            </Fragment>
          ))}
        </div>
      ))}
      {file.isCut ? <p className="px-5 py-2 text-sm text-muted">The rest of this file is not shown here.</p> : null}
    </div>
  )
}

const SIGNS = { same: ' ', added: '+', removed: '−' } as const

/** The number on the new side is the button: it is where the comment stands. */
const DiffLine = memo(function DiffLine(props: {
  readonly line: NumberedLine
  readonly path: string
  readonly onWrite: (line: number) => void
}) {
  const { line } = props
  const { newLine } = line
  return (
    <div
      data-kind={line.kind}
      className={classNames(
        'group grid grid-cols-[44px_52px_minmax(0,1fr)] font-mono text-sm leading-[20px] [font-variant-ligatures:none]',
        line.kind === 'added' && 'bg-good-soft',
        line.kind === 'removed' && 'bg-bad-soft',
      )}
    >
      <span aria-hidden="true" className="pr-2 text-right text-xs leading-[20px] text-muted tabular-nums select-none">
        {line.oldLine}
      </span>
      {newLine === null ? (
        <span />
      ) : (
        <button
          type="button"
          data-line={newLine}
          aria-label={`Comment on line ${newLine} of ${props.path}`}
          onClick={() => props.onWrite(newLine)}
          className="flex items-center justify-end gap-0.5 pr-2 text-xs text-muted tabular-nums group-hover:text-accent-text hover:underline focus-visible:outline-offset-[-2px]"
        >
          <span className="opacity-0 group-focus-within:opacity-100 group-hover:opacity-100">
            <Icon name="plus" size={10} />
          </span>
          {newLine}
        </button>
      )}
      <span className="min-w-0 pr-5 whitespace-pre-wrap">
        <span aria-hidden="true" className="inline-block w-4 text-muted select-none">
          {SIGNS[line.kind]}
        </span>
        {line.kind === 'same' ? null : (
          <span className="sr-only">{line.kind === 'added' ? 'added: ' : 'removed: '}</span>
        )}
        {line.text}
      </span>
    </div>
  )
})

function Remark(props: {
  readonly comment: TaskComment
  readonly participants: Participants
  readonly isInPlace?: boolean
}) {
  return (
    <div className="border-y border-line bg-raised px-5 py-2.5">
      <CommentView {...props} />
    </div>
  )
}
