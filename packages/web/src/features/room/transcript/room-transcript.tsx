import { useCallback, useMemo, useRef, useState } from 'react'
import type { Room, RoomPost } from '../../../api/room/room.ts'
import type { Team } from '../../../api/teams.ts'
import { TranscriptFrame } from '../../../shared/transcript/transcript-frame.tsx'
import { counted } from '../../../ui/words/time-words.ts'
import type { RoomMembers } from '../room-members.ts'
import { ArrivalNotice } from './arrival-notice.tsx'
import { type FoldedRow, type Folds, foldLines, isHidden, isUnfolded, useFolds } from './fold-lines.ts'
import { DayLine, TopLine, UnreadLine } from './lines.tsx'
import { type LiveTurn, useLiveTurns } from './live-turn.ts'
import { LiveTurnView } from './live-turn-view.tsx'
import { isContinuation, postRows } from './post-rows.ts'
import { PostView, type PostViewProps } from './post-view.tsx'
import { RoomStart } from './room-start.tsx'
import { useReading } from './use-reading.ts'
import { type TranscriptPlace, useTranscriptPlace } from './use-transcript-place.ts'

export interface TranscriptProps {
  readonly team: Team
  readonly room: Room
  readonly members: RoomMembers
  /** The post that the address points to. */
  readonly marked: number | undefined
  /** Grows with each message sent from here, because the sender wants to see the reply. */
  readonly sent: number
}

/** The posts of a room. Only visible posts are rendered, and posts load on scrolling. */
export function RoomTranscript({ team, room, members, marked, sent }: TranscriptProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const stays = useRef(false)
  const { reading, saw } = useReading(team.id, room, stays)
  const { line } = reading
  const rows = useMemo(() => foldLines(postRows(room.posts, line)), [room.posts, line])
  const folds = useFolds(marked)
  const { unfolded } = folds
  const live = useLiveTurns(room)
  const place = useTranscriptPlace({
    teamId: team.id,
    room,
    rows,
    unfolded,
    live,
    line,
    marked,
    sent,
    scroller,
    content,
    saw,
    stays,
  })
  if (room.head === 0 && live.length === 0) return <RoomStart team={team} members={members} />
  const unread = Math.max(0, room.head - reading.read)
  return (
    <>
      <TranscriptFrame
        label={`Room of ${team.name}`}
        scroller={scroller}
        isAtEnd={place.isAtEnd}
        newest={unread > 0 ? counted(unread, 'new post') : 'Jump to newest'}
        onNewest={place.toNewest}
        onFocus={place.onFocus}
      >
        {/* The list keeps the scroll position itself; the browser would correct it a second time. */}
        <div
          ref={content}
          className="relative mx-auto w-full max-w-[860px] [overflow-anchor:none]"
          style={{ height: place.height }}
        >
          <TopLine isFirst={rows[0]?.post.seq === 1} team={team.name} older={place.older} />
          <Rows place={place} room={room} rows={rows} live={live} members={members} marked={marked} folds={folds} />
        </div>
      </TranscriptFrame>
      <ArrivalNotice room={room} members={members} />
    </>
  )
}

function Rows(props: {
  readonly place: TranscriptPlace
  readonly room: Room
  readonly rows: readonly FoldedRow[]
  readonly live: readonly LiveTurn[]
  readonly members: RoomMembers
  readonly marked: number | undefined
  readonly folds: Folds
}) {
  const { place, room, rows, live, members, folds } = props
  const [open, onOpen] = useToggled()
  const [whole, onWhole] = useToggled()
  const [known] = useState(room.head)
  return place.items.map(({ key, index, start }) => {
    const row = rows[index]
    const turn = live[index - rows.length]
    return (
      <div
        key={key}
        ref={place.measure}
        data-index={index}
        className="absolute inset-x-0 top-0 px-5"
        style={{ transform: `translateY(${start}px)` }}
      >
        {row?.opensDay ? <DayLine at={row.post.createdAt} /> : null}
        {row?.opensUnread ? <UnreadLine count={room.head - row.post.seq + 1} /> : null}
        {row ? (
          <RowPost
            row={row}
            folds={folds}
            members={members}
            marked={props.marked}
            isOpen={open.has(row.post.seq)}
            onOpen={onOpen}
            isWhole={whole.has(row.post.seq) || wasHeard(row.post, known)}
            onWhole={onWhole}
          />
        ) : turn ? (
          <LiveTurnView
            turn={turn}
            members={members}
            isContinued={isContinuation(rows.at(-1)?.post, turn.agentId, Date.now())}
          />
        ) : null}
      </div>
    )
  })
}

type RowPostProps = Omit<PostViewProps, 'row' | 'folded' | 'isMarked'> & {
  readonly row: FoldedRow
  readonly folds: Folds
  readonly marked: number | undefined
}

/** A post, or the newest line of its fold. */
function RowPost({ row, folds, marked, ...view }: RowPostProps) {
  const { fold, post } = row
  const isMarked = post.seq === marked
  if (isHidden(row, folds.unfolded)) return null
  if (fold?.first !== post.seq) return <PostView {...view} row={row} isMarked={isMarked} folded={null} />
  const isOpen = isUnfolded(fold, folds.unfolded)
  const hasMarked = marked !== undefined && marked >= fold.first && marked <= fold.last
  return (
    <PostView
      {...view}
      row={isOpen ? row : { ...row, post: fold.newest }}
      isMarked={isOpen ? isMarked : hasMarked}
      folded={{ fold, isOpen, onFold: folds.onFold }}
    />
  )
}

/** A post that the person watched live is not shortened afterwards. */
function wasHeard({ seq, credential }: RoomPost, known: number): boolean {
  return seq > known && credential === 'mediated'
}

/** Stored here, because a row that is scrolled away loses its state. */
function useToggled(): readonly [ReadonlySet<number>, (seq: number) => void] {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set())
  const toggle = useCallback((seq: number) => {
    setOpen((now) => (now.has(seq) ? new Set([...now].filter((other) => other !== seq)) : new Set([...now, seq])))
  }, [])
  return [open, toggle]
}
