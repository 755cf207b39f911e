import { memo, useRef, useState } from 'react'
import type { DiffFile, TaskComment } from '../../../../api/tasks.ts'
import { Icon } from '../../../../ui/icon.tsx'
import { Pill } from '../../../../ui/pill.tsx'
import { readStored } from '../../../../ui/state/stored-text.ts'
import type { Participants } from '../../participants.ts'
import { CommentForm } from '../comment-form.tsx'
import { type CommentPlace, commentKey, lineKey, lineName } from '../comment-place.ts'
import { DiffLine, placeOf, Remark, remarksOn } from './diff-line.tsx'
import { countLines, numberLines } from './diff-lines.ts'

const CHANGE_WORDS: Readonly<Record<DiffFile['change'], string>> = {
  added: 'new',
  changed: 'changed',
  removed: 'removed',
  renamed: 'renamed',
  retyped: 'another kind of file',
}

/** Longer files start collapsed, so that a generated file does not bury the others. */
const OPEN_LINES = 600

interface FileProps {
  readonly id: string
  readonly file: DiffFile
  readonly taskId: string
  readonly comments: readonly TaskComment[]
  readonly participants: Participants
}

/** One changed file with its hunks. Every line can be commented on, removed lines too. */
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
      <summary className="sticky top-0 z-10 flex max-wide:min-h-10 items-center gap-2 border-b border-line bg-bg px-5 py-1.5 focus-visible:outline-offset-[-2px]">
        <Icon name={isOpen ? 'down' : 'play'} size={12} />
        <FilePath path={file.path} from={file.oldPath} />
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
  const { file, comments, taskId } = props
  const hunks = file.hunks.map((hunk) => ({ hunk, lines: numberLines(hunk) }))
  const places = hunks.flatMap(({ lines }) => lines.map((line) => placeOf(file.path, line)))
  // An unsent comment appears again on its line.
  const [writing, setWriting] = useState<string | null>(() => {
    const typed = places.find((place) => readStored(commentKey(taskId, place)) !== null)
    return typed ? lineKey(typed) : null
  })
  const body = useRef<HTMLDivElement>(null)
  const inPlace = new Set(places.flatMap((place) => remarksOn(place, comments).map(({ id }) => id)))
  const others = comments.filter(({ id }) => !inPlace.has(id))
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
      {file.isBinary ? <p className="px-5 py-2 text-sm text-muted">Binary file. Its content is not shown.</p> : null}
      {hunks.map(({ hunk, lines }) => (
        <div key={`${hunk.oldStart} ${hunk.newStart}`}>
          <p className="bg-sunken px-5 font-mono text-xs text-muted">
            {`@@ −${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`}
          </p>
          {lines.map((line) => {
            const place = placeOf(file.path, line)
            return (
              <div key={lineKey(place)}>
                <DiffLine line={line} path={file.path} onWrite={setWriting} />
                {remarksOn(place, comments).map((comment) => (
                  <Remark key={comment.id} comment={comment} participants={props.participants} isInPlace />
                ))}
                {writing === lineKey(place) ? <LineForm taskId={taskId} place={place} onDone={done} /> : null}
              </div>
            )
          })}
        </div>
      ))}
      {file.isCut ? <p className="px-5 py-2 text-sm text-muted">The rest of this file is not shown here.</p> : null}
    </div>
  )
}

function LineForm(props: { readonly taskId: string; readonly place: CommentPlace; readonly onDone: () => void }) {
  return (
    <div className="border-y border-line bg-raised px-5 py-3">
      <CommentForm {...props} label={`Comment on ${lineName(props.place)}`} />
    </div>
  )
}

/** A path that keeps its end readable when it is too long. */
export function FilePath({ path, from = null }: { readonly path: string; readonly from?: string | null }) {
  const at = path.lastIndexOf('/') + 1
  return (
    <span title={from === null ? path : `${from} → ${path}`} className="flex min-w-0 font-mono text-sm">
      {from === null ? null : <span className="min-w-0 shrink-[99] truncate text-muted">{`${from} →\u00a0`}</span>}
      {at === 0 ? null : <span className="min-w-0 shrink-[99] truncate">{path.slice(0, at)}</span>}
      <span className="min-w-0 truncate">{path.slice(at)}</span>
    </span>
  )
}
