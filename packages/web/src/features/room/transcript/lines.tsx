import type { ReactNode } from 'react'
import { Button } from '../../../ui/button.tsx'
import { PassesFocus } from '../../../ui/keyboard/passes-focus.tsx'
import { exactTime } from '../../../ui/words/time-words.ts'
import { dayWords } from './post-words.ts'

export function DayLine({ at }: { at: number }) {
  return (
    <Divider tone="border-line text-muted">
      <time dateTime={new Date(at).toISOString()} title={exactTime(at)}>
        {dayWords(at, Date.now())}
      </time>
    </Divider>
  )
}

/** Above the first post that was not read. */
export function UnreadLine({ count }: { count: number }) {
  return <Divider tone="border-accent text-accent-text">{`${count} new`}</Divider>
}

function Divider({ tone, children }: { tone: string; children: ReactNode }) {
  return (
    <div className={`flex h-9 items-center gap-3 text-xs font-[550] ${tone}`}>
      <span className="flex-1 border-t border-inherit" />
      <span>{children}</span>
      <span className="flex-1 border-t border-inherit" />
    </div>
  )
}

export const OLDER_LINE_PX = 44

/** What stands above the first post that is kept. */
export function OlderLine(props: {
  readonly isFirst: boolean
  readonly team: string
  readonly reading: { readonly isFailed: boolean; readonly isLoading: boolean; readonly load: () => void }
}) {
  const { isFirst, reading } = props
  return (
    <p
      role="status"
      style={{ height: OLDER_LINE_PX }}
      className="absolute inset-x-0 top-0 flex items-center justify-center px-5 text-sm text-muted"
    >
      {isFirst ? (
        <bdi className="truncate">{`The room of ${props.team} begins here`}</bdi>
      ) : reading.isFailed ? (
        <PassesFocus>
          <Button kind="quiet" onClick={reading.load}>
            What was said before could not be loaded. Try again
          </Button>
        </PassesFocus>
      ) : reading.isLoading ? (
        'Loading what was said before'
      ) : null}
    </p>
  )
}
