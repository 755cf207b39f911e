import { Link } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { type Room, type RoomPost, useMoreOfRoom } from '../../../api/room/room.ts'
import type { Team } from '../../../api/teams.ts'
import { endOf } from '../../../live/apply-to-room.ts'
import { eventFeed } from '../../../live/event-feed.ts'
import { OPERATOR_ID } from '../../../shared/agent/participant-name.ts'
import { Divider, TopLine, Transcript } from '../../../shared/transcript/transcript.tsx'
import { type MoreEntries, useLoadMore, useTranscript } from '../../../shared/transcript/use-transcript.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/page-states.tsx'
import { useValue } from '../../../ui/state/value-store.ts'
import { counted, exactTime } from '../../../ui/words/time-words.ts'
import type { RoomMembers } from '../room-members.ts'
import { type FoldedRow, type Folds, foldLines, isHidden, isUnfolded, useFolds } from './fold-lines.ts'
import { type LiveTurn, useLiveTurns } from './live-turn.ts'
import { LiveTurnView } from './live-turn-view.tsx'
import { estimateHeight, isContinuation, postRows } from './post-rows.ts'
import { authorName, PostView, type PostViewProps } from './post-view.tsx'
import { arrivalWords, dayWords } from './post-words.ts'
import { type Align, useGoToPost } from './use-go-to-post.ts'
import { lastSeen, useReading, useSeen } from './use-reading.ts'

interface TranscriptProps {
  readonly team: Team
  readonly room: Room
  readonly members: RoomMembers
  /** The post that the address points to. */
  readonly marked: number | undefined
  /** Grows with each message sent from here, because the sender wants to see the reply. */
  readonly sent: number
}

/** The posts of a room, and the turns in progress. Posts load on scrolling. */
export function RoomTranscript({ team, room, members, marked, sent }: TranscriptProps) {
  const stays = useRef(false)
  const { reading, saw } = useReading(team.id, room, stays)
  const { line } = reading
  const rows = useMemo(() => foldLines(postRows(room.posts, line)), [room.posts, line])
  const folds = useFolds(marked)
  const live = useLiveTurns(room)
  const entries = useEntries(rows, live)
  const estimatePx = (entry: RoomEntry) =>
    entry.row ? estimateHeight(entry.row, isHidden(entry.row, folds.unfolded)) : LIVE_PX
  const view = useTranscript({ entries, estimatePx, stays, mayStay: room.follows, hasTopLine: true, isVirtual: true })
  const { toEnd, toEntry } = view
  const first = rows[0]?.post.seq ?? 1
  const toRow = useCallback((seq: number, align: Align) => toEntry(seq - first, align), [toEntry, first])
  const { toNewest, isGoing } = useGoToPost({ teamId: team.id, room, line, marked, sent, toEnd, toRow })
  const { older, newer } = useRoomEdges(team.id, { hasOlder: first > 1, hasNewer: !room.follows })
  useLoadMore(view, !isGoing, older, newer)
  useSeen(isGoing ? null : lastSeen(view.items, rows, view.screen), saw)
  const unread = Math.max(0, room.head - reading.read)
  const words = unread > 0 ? counted(unread, 'new post') : 'Jump to newest'
  const renderRow = useRenderRow({ room, members, marked, folds })
  return (
    <>
      <Transcript
        label={`Room of ${team.name}`}
        view={view}
        entries={entries}
        top={<TopLine start={`This is the start of ${team.name}`} older={older} />}
        empty={<RoomStart team={team} members={members} />}
        newest={isGoing || view.isAtEnd ? null : { words, go: toNewest }}
        render={({ row, turn }) =>
          row ? (
            renderRow(row)
          ) : (
            <LiveTurnView
              turn={turn}
              members={members}
              isContinued={isContinuation(rows.at(-1)?.post, turn.agentId, Date.now())}
            />
          )
        }
      />
      <ArrivalNotice room={room} members={members} />
    </>
  )
}

const LIVE_PX = 72

type RoomEntry =
  | { readonly key: number; readonly row: FoldedRow; readonly turn?: undefined }
  | { readonly key: string; readonly row?: undefined; readonly turn: LiveTurn }

function useEntries(rows: readonly FoldedRow[], live: readonly LiveTurn[]): readonly RoomEntry[] {
  const posts = useMemo(() => rows.map((row) => ({ key: row.post.seq, row })), [rows])
  return useMemo(() => [...posts, ...live.map((turn) => ({ key: `live ${turn.runId}`, turn }))], [posts, live])
}

/** Renders a row. The opened parts are stored here, because a row that is scrolled away loses its state. */
function useRenderRow(options: {
  readonly room: Room
  readonly members: RoomMembers
  readonly marked: number | undefined
  readonly folds: Folds
}) {
  const { room, ...view } = options
  const [open, onOpen] = useToggled()
  const [whole, onWhole] = useToggled()
  const [known] = useState(room.head)
  return (row: FoldedRow) => (
    <>
      {row.opensDay ? <DayLine at={row.post.createdAt} /> : null}
      {row.opensUnread ? <Divider tone="accent">{`${room.head - row.post.seq + 1} new`}</Divider> : null}
      <RowPost
        {...view}
        row={row}
        isOpen={open.has(row.post.seq)}
        onOpen={onOpen}
        isWhole={whole.has(row.post.seq) || wasHeard(row.post, known)}
        onWhole={onWhole}
      />
    </>
  )
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

function useToggled(): readonly [ReadonlySet<number>, (seq: number) => void] {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set())
  const toggle = useCallback((seq: number) => {
    setOpen((now) => (now.has(seq) ? new Set([...now].filter((other) => other !== seq)) : new Set([...now, seq])))
  }, [])
  return [open, toggle]
}

function DayLine({ at }: { at: number }) {
  return (
    <Divider>
      <time dateTime={new Date(at).toISOString()} title={exactTime(at)}>
        {dayWords(at, Date.now())}
      </time>
    </Divider>
  )
}

function RoomStart({ team, members }: { team: Team; members: RoomMembers }) {
  const leader = members.leaderId === null ? null : members.nameOf(members.leaderId)
  if (members.boos.length === 0) {
    return (
      <EmptyState title="No Boos yet" seed={team.id}>
        <p>A room needs Boos that reply. Add some to the team, then write what you want done.</p>
        <Link to="/teams/$teamId" params={{ teamId: team.id }} className={buttonClass('primary')}>
          Add members
        </Link>
      </EmptyState>
    )
  }
  return (
    <EmptyState title="Write what you want done" seed={team.id}>
      <p>
        {leader === null
          ? 'Write below and choose who replies with @.'
          : `Write below. ${leader} replies and involves the others. Use @ to ask one Boo.`}
      </p>
      <p>Before you send, you see who will reply, the most turns, and the estimated cost.</p>
    </EmptyState>
  )
}

/** Reads aloud new posts of others once they are complete, never text that is still streaming. */
function ArrivalNotice({ room, members }: { room: Room; members: RoomMembers }) {
  const [words, setWords] = useState('')
  const last = useRef(endOf(room))
  const { posts, follows } = room
  useEffect(() => {
    const end = posts.at(-1)?.seq ?? 0
    const from = last.current
    last.current = end
    if (!follows || end <= from) return
    const came = posts.filter(
      ({ seq, author }) => seq > from && !(author.kind === 'person' && author.id === OPERATOR_ID),
    )
    if (came.length > 0) setWords(arrivalWords(came, (post) => authorName(post, members)))
  }, [posts, follows, members])
  return (
    <p role="status" aria-live="polite" className="sr-only">
      {words}
    </p>
  )
}

/** The posts before and after the loaded ones. A failed request is repeated when the server is back. */
function useRoomEdges(
  teamId: string,
  { hasOlder, hasNewer }: { readonly hasOlder: boolean; readonly hasNewer: boolean },
): { readonly older: MoreEntries; readonly newer: MoreEntries } {
  const older = useMoreOfRoom(teamId, 'older')
  const newer = useMoreOfRoom(teamId, 'newer')
  const isLive = useValue(eventFeed.state).kind === 'live'
  const [forgetOlder, forgetNewer] = [older.reset, newer.reset]
  useEffect(() => {
    if (!isLive) return
    forgetOlder()
    forgetNewer()
  }, [isLive, forgetOlder, forgetNewer])
  return { older: edge(hasOlder, older), newer: edge(hasNewer, newer) }
}

function edge(exist: boolean, { isPending, isError, mutate }: ReturnType<typeof useMoreOfRoom>): MoreEntries {
  return { exist, isLoading: isPending, hasFailed: isError, load: () => mutate() }
}
