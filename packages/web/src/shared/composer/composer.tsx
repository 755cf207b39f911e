import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  type TextareaHTMLAttributes,
  useLayoutEffect,
  useRef,
} from 'react'
import { classNames } from '../../ui/class-names.ts'
import { useShortcuts } from '../../ui/keyboard/shortcuts.ts'
import { usePageActions } from '../../ui/page-actions.ts'
import { Kbd } from '../../ui/page-header.tsx'

/** The field for a message with the row below it. Enter sends, Shift Enter starts a new line. */
export function Composer(props: {
  readonly field: MessageFieldProps
  /** The name of the Boo or the team, for the command palette. */
  readonly place: string
  readonly longest: number
  readonly onSend: () => void
  /** A list that floats above the field. */
  readonly above?: ReactNode
  /** Choices at the start of the row. */
  readonly tools?: ReactNode
  /** Describes the effect of sending now. Without it, the row explains the keys. */
  readonly hint?: { readonly words: string; readonly isOnPhone: boolean }
  /** The buttons at the end of the row. */
  readonly children: ReactNode
}) {
  const { field, hint } = props
  const excess = excessOf(field.value, props.longest)
  const focus = () => field.field.current?.focus()
  useShortcuts({ c: focus })
  usePageActions([
    { id: 'write-message', title: 'Write a message', place: props.place, icon: 'chat', keys: 'c', run: focus },
  ])
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    field.onKeyDown?.(event)
    if (event.defaultPrevented || event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    // A key that is still held down must not send.
    if (!event.repeat) props.onSend()
  }
  return (
    <div className="relative rounded-l border border-line-strong bg-raised shadow-float focus-within:border-accent">
      {props.above}
      <MessageField {...field} onKeyDown={onKeyDown} />
      <div className="flex min-h-[42px] flex-wrap items-center gap-2 px-3 pt-0.5 pb-2">
        {props.tools}
        <p
          className={classNames(
            'min-w-0 flex-1 text-sm text-muted max-wide:order-first max-wide:basis-full max-wide:pl-1',
            excess === 0 && !hint?.isOnPhone && 'max-wide:hidden',
          )}
        >
          {excess > 0 ? (
            <span className="text-bad">{`Too long by ${excess.toLocaleString('en-GB')} characters`}</span>
          ) : (
            (hint?.words ?? <KeyHint />)
          )}
        </p>
        <span className="ml-auto flex shrink-0 items-center gap-2">{props.children}</span>
      </div>
    </div>
  )
}

/** The number of characters over the limit; 0 when the text fits. */
export function excessOf(text: string, longest: number): number {
  return Math.max(0, text.length - longest)
}

function KeyHint() {
  return (
    <>
      <Kbd>Enter</Kbd> sends, <Kbd>Shift Enter</Kbd> for a new line
    </>
  )
}

/** A piece of the text; the field highlights the marked ones. */
interface TextPiece {
  readonly text: string
  readonly isMarked: boolean
}

type MessageFieldProps = TextareaHTMLAttributes<HTMLTextAreaElement> & {
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
function MessageField({ field, pieces = [], ...rest }: MessageFieldProps) {
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

/** A text field as high as its text, up to `tallestPx`. */
function useAutosize(field: RefObject<HTMLTextAreaElement | null>, text: string, tallestPx: number): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useLayoutEffect(() => {
    const area = field.current
    if (!area) return
    area.style.height = 'auto'
    area.style.height = `${Math.min(area.scrollHeight, tallestPx)}px`
  }, [field, text, tallestPx])
}
