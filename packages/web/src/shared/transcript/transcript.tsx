import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Icon } from '../../ui/icon.tsx'
import { PassesFocus } from '../../ui/keyboard/passes-focus.tsx'
import { type MoreEntries, TOP_LINE_PX, type TranscriptEntry, type TranscriptView } from './use-transcript.ts'

/** A conversation, a room or a run: its entries, and a button that leads to the newest one. */
export function Transcript<Entry extends TranscriptEntry>(props: {
  readonly label: string
  readonly view: TranscriptView
  readonly entries: readonly Entry[]
  readonly render: (entry: Entry, index: number) => ReactNode
  /** The line above the first entry. */
  readonly top?: ReactNode
  /** Shown without entries. */
  readonly empty?: ReactNode
  /** Shown below the entries. */
  readonly below?: ReactNode
  /** Leads to the newest entry; null = the person is there. */
  readonly newest: { readonly words: string; readonly go: () => void } | null
}) {
  const { view, entries, newest } = props
  return (
    <div className="relative min-h-0 min-w-0 flex-1">
      <div
        ref={view.scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable with the keyboard
        tabIndex={0}
        role="log"
        aria-label={props.label}
        aria-live="off"
        onFocus={view.onFocus}
        className="flex h-full flex-col overflow-y-auto focus-visible:outline-offset-[-2px]"
      >
        {entries.length === 0 ? props.empty : null}
        {/* The list keeps the scroll position itself; the browser would correct it a second time. */}
        <div
          ref={view.content}
          className="relative mx-auto w-full max-w-[860px] shrink-0 [overflow-anchor:none]"
          style={{ height: entries.length === 0 ? 0 : view.height }}
        >
          {entries.length === 0 ? null : props.top}
          {view.items.map(({ key, index, start }) => (
            <div
              key={key}
              ref={view.measure}
              data-index={index}
              className="absolute inset-x-0 top-0 px-5"
              style={{ transform: `translateY(${start}px)` }}
            >
              {props.render(entries[index]!, index)}
            </div>
          ))}
        </div>
        {props.below}
      </div>
      {newest ? (
        <PassesFocus>
          <Button onClick={newest.go} className="absolute bottom-3 left-1/2 -translate-x-1/2 shadow-float">
            <Icon name="down" size={14} />
            {newest.words}
          </Button>
        </PassesFocus>
      ) : null}
    </div>
  )
}

/** Above the first loaded entry: the start of the transcript, or the state of loading older entries. */
export function TopLine({ start, older }: { readonly start: string; readonly older: MoreEntries }) {
  return (
    <p
      role="status"
      style={{ height: TOP_LINE_PX }}
      className="absolute inset-x-0 top-0 flex items-center justify-center px-5 text-sm text-muted"
    >
      {older.isLoading ? (
        'Loading older messages'
      ) : older.exist ? (
        <PassesFocus>
          <Button kind="quiet" onClick={older.load}>
            {older.hasFailed ? "Couldn't load older messages. Try again" : 'Load older messages'}
          </Button>
        </PassesFocus>
      ) : (
        <bdi className="truncate">{start}</bdi>
      )}
    </p>
  )
}

export function Divider({ tone = 'plain', children }: { tone?: 'plain' | 'accent'; children: ReactNode }) {
  return (
    <div
      className={classNames(
        'flex h-9 shrink-0 items-center gap-3 text-xs font-[550]',
        tone === 'accent' ? 'border-accent text-accent-text' : 'border-line text-muted',
      )}
    >
      <span className="flex-1 border-t border-inherit" />
      <span>{children}</span>
      <span className="flex-1 border-t border-inherit" />
    </div>
  )
}

/** One message: its author's face in a column of its own, then the author's name and the content. */
export function Message(props: {
  readonly face: ReactNode
  /** null = it continues the message above, so the name is not repeated. */
  readonly name: string | null
  /** Remarks beside the name. */
  readonly marks?: ReactNode
  readonly time: ReactNode
  readonly className?: string
  readonly children: ReactNode
}) {
  return (
    <div className="grid min-w-0 grid-cols-[28px_minmax(0,1fr)] gap-x-3">
      <span className="pt-0.5">{props.face}</span>
      <div className={classNames('flex min-w-0 flex-col', props.className)}>
        {props.name === null ? null : (
          <p className="flex min-w-0 items-baseline gap-2">
            <bdi className="truncate font-[600]">{props.name}</bdi>
            {props.marks}
            <span className="shrink-0 text-xs text-muted">{props.time}</span>
          </p>
        )}
        {props.children}
      </div>
    </div>
  )
}
