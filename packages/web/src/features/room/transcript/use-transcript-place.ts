import { defaultRangeExtractor, type Range, useVirtualizer, type VirtualItem } from '@tanstack/react-virtual'
import { type FocusEvent, type RefObject, useCallback, useEffect, useRef } from 'react'
import { type Room, useMoreOfRoom } from '../../../api/room.ts'
import type { Team } from '../../../api/teams.ts'
import { eventFeed } from '../../../live/event-feed.ts'
import { useValue } from '../../../ui/value-store.ts'
import { OLDER_LINE_PX } from './lines.tsx'
import type { LiveTurn } from './live-turn.ts'
import { estimateHeight, type PostRow } from './post-rows.ts'
import { useGoToPost } from './use-go-to-post.ts'
import { useStayAtEnd } from './use-stay-at-end.ts'

interface PlaceOptions {
  readonly team: Team
  readonly room: Room
  readonly rows: readonly PostRow[]
  readonly live: readonly LiveTurn[]
  /** The first post of what is new. */
  readonly line: number | null
  readonly marked: number | undefined
  readonly sent: number
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly saw: (seq: number) => void
  /** Set to whether a person is at the newest. */
  readonly stays: RefObject<boolean>
}

export interface TranscriptPlace {
  readonly items: readonly VirtualItem[]
  readonly height: number
  readonly measure: (element: Element | null) => void
  readonly isAtEnd: boolean
  readonly toNewest: () => void
  readonly onFocus: (event: FocusEvent) => void
  readonly older: { readonly isFailed: boolean; readonly isLoading: boolean; readonly load: () => void }
}

const NEAR_END_PX = 48
/** How far from the edge of what is kept the next part is asked for. */
const READ_ON_PX = 900
const LIVE_HEIGHT = 72

/** What of the transcript is drawn and read. What a person reads never moves, whatever comes above or below it. */
export function useTranscriptPlace(options: PlaceOptions): TranscriptPlace {
  const { team, room, rows, live, scroller, saw, stays } = options
  const first = rows[0]?.post.seq ?? 1
  const count = rows.length + live.length
  const focused = useRef<number | null>(null)
  const getItemKey = useCallback(
    (index: number) => rows[index]?.post.seq ?? `live ${live[index - rows.length]?.runId}`,
    [rows, live],
  )
  const list = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (rows[index] ? estimateHeight(rows[index]) : LIVE_HEIGHT),
    getItemKey,
    overscan: 6,
    paddingStart: OLDER_LINE_PX,
    paddingEnd: 16,
    scrollPaddingStart: 72,
    anchorTo: 'end',
    scrollEndThreshold: NEAR_END_PX,
    // What has the keyboard stays, also off the screen: else it would fall out of the page.
    rangeExtractor: (range) => withRow(range, focused.current === null ? null : focused.current - first),
  })
  const older = useMoreOfRoom(team.id, 'older')
  const newer = useMoreOfRoom(team.id, 'newer')
  const toEnd = useCallback(() => {
    stays.current = true
    list.scrollToEnd()
  }, [list, stays])
  const toRow = useCallback(
    (seq: number, align: 'start' | 'center' | 'auto') => {
      stays.current = false
      list.scrollToIndex(seq - first, { align })
    },
    [list, first, stays],
  )
  const { toNewest, isGoing } = useGoToPost({ ...options, teamId: team.id, toEnd, toRow })
  useStayAtEnd(scroller, {
    stays,
    isThere: count > 0,
    mayStay: room.follows,
    isGoing,
    height: list.getTotalSize(),
  })

  const offset = list.scrollOffset ?? 0
  const screen = list.scrollRect?.height ?? 0
  const bottom = offset + screen
  // What has just come is not in sight yet, but will be before this is drawn.
  const isAtEnd = room.follows && (stays.current || list.isAtEnd(NEAR_END_PX))
  const canReadOlder = !isGoing && first > 1 && !older.isPending && !older.isError
  const canReadNewer = !isGoing && !room.follows && !newer.isPending && !newer.isError
  const { mutate: readOlder } = older
  const { mutate: readNewer } = newer
  const wantsOlder = canReadOlder && offset < READ_ON_PX
  const wantsNewer = canReadNewer && list.getTotalSize() - bottom < READ_ON_PX
  useEffect(() => {
    if (wantsOlder) readOlder()
  }, [wantsOlder, readOlder])
  useEffect(() => {
    if (wantsNewer) readNewer()
  }, [wantsNewer, readNewer])

  useTryAgain(older.reset, newer.reset)

  const items = list.getVirtualItems()
  const seen = !isGoing ? lastSeen(items, rows, { bottom, screen }) : null
  useEffect(() => {
    if (seen === null) return
    const see = () => saw(seen)
    see()
    document.addEventListener('visibilitychange', see)
    return () => document.removeEventListener('visibilitychange', see)
  }, [seen, saw])
  return {
    items,
    height: list.getTotalSize(),
    measure: list.measureElement,
    isAtEnd: isGoing || isAtEnd,
    toNewest,
    onFocus: ({ target }) => {
      const seq = target.closest('[data-seq]')?.getAttribute('data-seq')
      focused.current = seq ? Number(seq) : null
    },
    older: { isFailed: older.isError, isLoading: older.isPending, load: () => readOlder() },
  }
}

/** What could not be read is asked for again when the server is back. */
function useTryAgain(forgetOlder: () => void, forgetNewer: () => void): void {
  const isLive = useValue(eventFeed.state).kind === 'live'
  useEffect(() => {
    if (!isLive) return
    forgetOlder()
    forgetNewer()
  }, [isLive, forgetOlder, forgetNewer])
}

function withRow(range: Range, index: number | null): number[] {
  const shown = defaultRangeExtractor(range)
  if (index === null || index < 0 || index >= range.count || shown.includes(index)) return shown
  return [...shown, index].sort((one, other) => one - other)
}

/** The last post that has been seen to its end, or fills the screen. */
function lastSeen(
  items: readonly VirtualItem[],
  rows: readonly PostRow[],
  { bottom, screen }: { readonly bottom: number; readonly screen: number },
): number | null {
  const item = items.findLast(({ index, start, end, size }) => {
    if (index >= rows.length || screen === 0) return false
    return end <= bottom + NEAR_END_PX || (size > screen && start <= bottom - screen)
  })
  return item ? rows[item.index]!.post.seq : null
}
