import { type RefObject, type TextareaHTMLAttributes, useLayoutEffect, useRef } from 'react'
import { useAutosize } from '../../ui/use-autosize.ts'

/** A piece of the text; the field highlights the marked ones. */
export interface TextPiece {
  readonly text: string
  readonly isMarked: boolean
}

export type MessageFieldProps = TextareaHTMLAttributes<HTMLTextAreaElement> & {
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly value: string
  /** The whole text in pieces; empty when nothing is marked. */
  readonly pieces?: readonly TextPiece[]
}

const TALLEST_PX = 260
/** The field and its marked copy must break lines at the same places. */
const sameText =
  'max-h-[260px] min-h-[44px] w-full whitespace-pre-wrap break-words px-4 pt-3 pb-1 text-base leading-normal [scrollbar-gutter:stable]'

/** A text field that grows with its text. A copy of the text behind it carries the marks. */
export function MessageField({ field, pieces = [], ...rest }: MessageFieldProps) {
  const marks = useRef<HTMLDivElement>(null)
  const follow = () => {
    if (marks.current && field.current) marks.current.scrollTop = field.current.scrollTop
  }
  useAutosize(field, rest.value, TALLEST_PX)
  useLayoutEffect(follow)
  return (
    <div className="relative">
      <textarea
        {...rest}
        ref={field}
        rows={1}
        onScroll={follow}
        className={`${sameText} block resize-none bg-transparent outline-none`}
      />
      {pieces.length === 0 ? null : (
        <div
          ref={marks}
          aria-hidden="true"
          className={`${sameText} pointer-events-none absolute inset-0 overflow-hidden text-transparent`}
        >
          {pieces.map(({ text, isMarked }, at) =>
            isMarked ? (
              <mark
                // biome-ignore lint/suspicious/noArrayIndexKey: a piece has no key but its position
                key={at}
                className="rounded-[4px] bg-accent-soft box-decoration-clone text-accent-text shadow-[0_0_0_1.5px_var(--accent-soft)]"
              >
                {text}
              </mark>
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: a piece has no key but its position
              <span key={at}>{text}</span>
            ),
          )}
        </div>
      )}
    </div>
  )
}
