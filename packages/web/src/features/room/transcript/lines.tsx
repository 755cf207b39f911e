import { Divider } from '../../../shared/transcript/divider.tsx'
import { OlderLine, type OlderMessages } from '../../../shared/transcript/older-line.tsx'
import { exactTime } from '../../../ui/words/time-words.ts'
import { dayWords } from './post-words.ts'

export function DayLine({ at }: { at: number }) {
  return (
    <Divider>
      <time dateTime={new Date(at).toISOString()} title={exactTime(at)}>
        {dayWords(at, Date.now())}
      </time>
    </Divider>
  )
}

/** Above the first unread post. */
export function UnreadLine({ count }: { count: number }) {
  return <Divider tone="accent">{`${count} new`}</Divider>
}

export const TOP_LINE_PX = 44

/** Above the first loaded post: the start of the room, or the state of loading older posts. */
export function TopLine(props: { readonly isFirst: boolean; readonly team: string; readonly older: OlderMessages }) {
  return (
    <p
      role="status"
      style={{ height: TOP_LINE_PX }}
      className="absolute inset-x-0 top-0 flex items-center justify-center px-5 text-sm text-muted"
    >
      {props.isFirst ? (
        <bdi className="truncate">{`This is the start of ${props.team}`}</bdi>
      ) : (
        <OlderLine {...props.older} />
      )}
    </p>
  )
}
