import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { RoomPost } from '../../../api/room/room.ts'
import { classNames } from '../../../ui/class-names.ts'
import { Icon } from '../../../ui/icon.tsx'
import { exactTime } from '../../../ui/words/time-words.ts'
import type { Fold } from './fold-lines.ts'

/** Further lines are behind a button, so that a burst of work does not push messages out of sight. */
const MOST_LINES = 4

const linkClass = 'rounded-s font-[530] text-accent-text underline-offset-2 hover:underline'

/** The lines of the same task that this line represents. */
export interface FoldedLines {
  readonly fold: Fold
  readonly isOpen: boolean
  readonly onFold: (fold: Fold) => void
}

/** A line from the server, with links to its task and its run. */
export function SystemLine({ post, folded }: { post: RoomPost; folded: FoldedLines | null }) {
  const [isWhole, setWhole] = useState(false)
  const lines = post.body.split('\n')
  const shown = isWhole || lines.length <= MOST_LINES ? lines : lines.slice(0, MOST_LINES - 1)
  return (
    <div
      title={folded && !folded.isOpen ? exactTime(post.createdAt) : undefined}
      className="flex min-w-0 items-start gap-2 pl-10 text-sm text-muted"
    >
      <span className="mt-[3px] shrink-0">
        <Icon name={post.taskId ? 'board' : 'notice'} size={14} />
      </span>
      <div className="min-w-0">
        {shown.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines never move
          <p key={index} dir="auto">
            <LineWords line={line} post={post} />
          </p>
        ))}
        {shown.length < lines.length ? (
          <button type="button" className={linkClass} onClick={() => setWhole(true)}>
            {`and ${lines.length - shown.length} more`}
          </button>
        ) : null}
      </div>
      {post.runId ? (
        <Link to="/runs/$runId" params={{ runId: post.runId }} className={classNames(linkClass, 'shrink-0')}>
          Run
        </Link>
      ) : null}
      {folded ? <FoldButton {...folded} /> : null}
    </div>
  )
}

function FoldButton({ fold, isOpen, onFold }: FoldedLines) {
  const more = fold.last - fold.first
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={() => onFold(fold)}
      className="inline-flex shrink-0 items-center gap-0.5 rounded-s text-muted hover:text-text max-wide:-my-2.5 max-wide:h-10 max-wide:px-2"
    >
      <Icon name={isOpen ? 'up' : 'down'} size={14} />
      {isOpen ? 'Fold' : `${more} more`}
      <span className="sr-only">{` ${more === 1 && !isOpen ? 'line' : 'lines'} about this task`}</span>
    </button>
  )
}

/** The quoted title links to the task; without a title the whole line does. */
function LineWords({ line, post }: { line: string; post: RoomPost }) {
  const { taskId, teamId } = post
  if (taskId === null) return line
  const from = line.indexOf('“')
  const to = line.lastIndexOf('”')
  const [start, end] = from >= 0 && to > from ? [from + 1, to] : [0, line.length]
  return (
    <>
      {line.slice(0, start)}
      <Link to="/board/$teamId" params={{ teamId }} search={{ task: taskId }} className={linkClass}>
        <bdi>{line.slice(start, end)}</bdi>
      </Link>
      {line.slice(end)}
    </>
  )
}
