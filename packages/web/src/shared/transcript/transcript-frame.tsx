import type { FocusEventHandler, ReactNode, RefObject } from 'react'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PassesFocus } from '../../ui/keyboard/passes-focus.tsx'

/** The scrolling area of a conversation or a room, with a button that leads back to the newest message. */
export function TranscriptFrame(props: {
  readonly label: string
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly isAtEnd: boolean
  readonly newest: string
  readonly onNewest: () => void
  readonly onFocus?: FocusEventHandler
  readonly children: ReactNode
}) {
  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={props.scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable with the keyboard
        tabIndex={0}
        role="log"
        aria-label={props.label}
        aria-live="off"
        onFocus={props.onFocus}
        className="h-full overflow-y-auto focus-visible:outline-offset-[-2px]"
      >
        {props.children}
      </div>
      {props.isAtEnd ? null : (
        <PassesFocus>
          <Button onClick={props.onNewest} className="absolute bottom-3 left-1/2 -translate-x-1/2 shadow-float">
            <Icon name="down" size={14} />
            {props.newest}
          </Button>
        </PassesFocus>
      )}
    </div>
  )
}
