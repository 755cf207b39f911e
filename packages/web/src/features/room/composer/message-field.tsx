import { type KeyboardEvent, type RefObject, type TextareaHTMLAttributes, useLayoutEffect, useRef } from 'react'
import { useAutosize } from '../../../ui/use-autosize.ts'
import { piecesOf, type RoomDraft } from './room-draft.ts'

const TALLEST_PX = 260
/** Both must break lines at the same places. */
const sameText =
  'max-h-[260px] min-h-[44px] w-full whitespace-pre-wrap break-words px-4 pt-3 pb-1 text-base leading-normal [scrollbar-gutter:stable]'

/** Where the words go. What was picked is marked by a copy of the text that lies over it. */
export function MessageField({
  draft,
  field,
  onKey,
  ...rest
}: Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'value'> & {
  readonly draft: RoomDraft
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly onKey: (event: KeyboardEvent<HTMLTextAreaElement>) => void
  readonly 'data-room-field'?: boolean
}) {
  const marks = useRef<HTMLDivElement>(null)
  const follow = () => {
    if (marks.current && field.current) marks.current.scrollTop = field.current.scrollTop
  }
  useAutosize(field, draft.text, TALLEST_PX)
  useLayoutEffect(follow)
  return (
    <div className="relative">
      <textarea
        {...rest}
        ref={field}
        rows={1}
        value={draft.text}
        onKeyDown={onKey}
        onScroll={follow}
        className={`${sameText} block resize-none bg-transparent outline-none`}
      />
      {draft.mentions.length === 0 ? null : (
        <div
          ref={marks}
          aria-hidden="true"
          className={`${sameText} pointer-events-none absolute inset-0 overflow-hidden text-transparent`}
        >
          {piecesOf(draft).map(({ text, isMarked }, at) =>
            isMarked ? (
              <mark
                // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no name but their place
                key={at}
                className="rounded-[4px] bg-accent-soft box-decoration-clone text-accent-text shadow-[0_0_0_1.5px_var(--accent-soft)]"
              >
                {text}
              </mark>
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no name but their place
              <span key={at}>{text}</span>
            ),
          )}
        </div>
      )}
    </div>
  )
}
