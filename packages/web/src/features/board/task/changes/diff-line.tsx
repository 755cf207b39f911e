import { memo } from 'react'
import type { TaskComment } from '../../../../api/tasks.ts'
import { classNames } from '../../../../ui/class-names.ts'
import { Icon } from '../../../../ui/icon.tsx'
import type { Participants } from '../../participants.ts'
import { type CommentPlace, lineKey, lineName, removedQuote } from '../comment-place.ts'
import { CommentView } from '../task-comments.tsx'
import type { NumberedLine } from './diff-lines.ts'

const SIGNS = { same: ' ', added: '+', removed: '−' } as const

/** The line number is the comment button; on a phone the whole line is. */
export const DiffLine = memo(function DiffLine(props: {
  readonly line: NumberedLine
  readonly path: string
  readonly onWrite: (lineKey: string) => void
}) {
  const { line } = props
  const place = placeOf(props.path, line)
  const button = (
    <button
      type="button"
      data-line={lineKey(place)}
      aria-label={`Comment on ${lineName(place)}`}
      onClick={() => props.onWrite(lineKey(place))}
      className="flex h-5 items-center justify-end gap-0.5 pr-2 text-xs text-muted tabular-nums group-hover:text-accent-text hover:underline focus-visible:outline-offset-[-2px] max-wide:h-6 max-wide:pr-1 max-wide:after:absolute max-wide:after:inset-0"
    >
      <span className="opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 max-wide:hidden">
        <Icon name="plus" size={10} />
      </span>
      {line.newLine ?? line.oldLine}
    </button>
  )
  return (
    <div
      data-kind={line.kind}
      className={classNames(
        'group relative grid grid-cols-[48px_48px_16px_minmax(0,1fr)] items-start font-mono text-sm leading-[20px] [font-variant-ligatures:none] max-wide:grid-cols-[34px_34px_14px_minmax(0,1fr)] max-wide:leading-[24px]',
        line.kind === 'added' && 'bg-good-soft',
        line.kind === 'removed' && 'bg-bad-soft',
      )}
    >
      {line.newLine === null ? button : <OldNumber>{line.oldLine}</OldNumber>}
      {line.newLine === null ? <span /> : button}
      <span aria-hidden="true" className="text-muted select-none">
        {SIGNS[line.kind]}
      </span>
      <span className="min-w-0 pr-5 whitespace-pre-wrap max-wide:pr-2">
        {line.kind === 'same' ? null : (
          <span className="sr-only">{line.kind === 'added' ? 'added: ' : 'removed: '}</span>
        )}
        {line.text}
      </span>
    </div>
  )
})

function OldNumber({ children }: { children: number | null }) {
  return (
    <span
      aria-hidden="true"
      className="pr-2 text-right text-xs leading-[20px] text-muted tabular-nums select-none max-wide:pr-1 max-wide:leading-[24px]"
    >
      {children}
    </span>
  )
}

export function Remark(props: {
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

export function placeOf(file: string, { oldLine, newLine, text }: NumberedLine): CommentPlace {
  return newLine === null ? { file, removed: { oldLine: oldLine ?? 0, text } } : { file, line: newLine }
}

/** The comments on a line; those on a removed line without the quote that identifies it. */
export function remarksOn(place: CommentPlace, comments: readonly TaskComment[]): readonly TaskComment[] {
  if ('line' in place) return comments.filter(({ line }) => line === place.line)
  const quote = removedQuote(place.removed)
  return comments.flatMap((comment) =>
    comment.line === null && comment.body.startsWith(quote)
      ? [{ ...comment, body: comment.body.slice(quote.length) }]
      : [],
  )
}
