import {
  defaultRangeExtractor,
  elementScroll,
  type Range,
  useVirtualizer,
  type VirtualItem,
} from '@tanstack/react-virtual'
import { type FocusEvent, type RefObject, useCallback, useRef } from 'react'
import type { Room } from '../../../api/room/room.ts'
import type { OlderMessages } from '../../../shared/transcript/older-line.tsx'
import { NEAR_END_PX, useStayAtEnd } from '../../../shared/transcript/use-stay-at-end.ts'
import { type FoldedRow, isHidden } from './fold-lines.ts'
import { TOP_LINE_PX } from './lines.tsx'
import type { LiveTurn } from './live-turn.ts'
import { estimateHeight } from './post-rows.ts'
import { useGoToPost } from './use-go-to-post.ts'
import { useReadOn } from './use-read-on.ts'
import { lastSeen, useSeen } from './use-reading.ts'

interface PlaceOptions {
  readonly teamId: string
  readonly room: Room
  readonly rows: readonly FoldedRow[]
  readonly unfolded: ReadonlySet<number>
  readonly live: readonly LiveTurn[]
  /** The first unread post. */
  readonly line: number | null
  readonly marked: number | undefined
  readonly sent: number
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly content: RefObject<HTMLDivElement | null>
  readonly saw: (seq: number) => void
  /** Set to whether the person is at the newest post. */
  readonly stays: RefObject<boolean>
}

export interface TranscriptPlace {
  readonly items: readonly VirtualItem[]
  readonly height: number
  readonly measure: (element: Element | null) => void
  readonly isAtEnd: boolean
  readonly toNewest: () => void
  readonly onFocus: (event: FocusEvent) => void
  readonly older: OlderMessages
}

/** The rendered part of the transcript. The text being read never moves when posts appear above or below. */
export function useTranscriptPlace(options: PlaceOptions): TranscriptPlace {
  const { teamId, room, rows, scroller, content, stays } = options
  const first = rows[0]?.post.seq ?? 1
  const ownTop = useRef(-1)
  const { list, onFocus } = useRowList(options, first, ownTop)
  const height = list.getTotalSize()
  const isThere = list.options.count > 0
  const { toEnd } = useStayAtEnd({
    scroller,
    content,
    stays,
    ownTop,
    isThere,
    mayStay: room.follows,
    growth: height,
  })
  const toRow = useCallback(
    (seq: number, align: 'start' | 'center' | 'auto') => {
      stays.current = false
      list.scrollToIndex(seq - first, { align })
    },
    [list, first, stays],
  )
  const { toNewest, isGoing } = useGoToPost({ ...options, toEnd, toRow })
  const items = list.getVirtualItems()
  const screen = { top: list.scrollOffset ?? 0, height: list.scrollRect?.height ?? 0 }
  const older = useReadOn(teamId, {
    mayRead: !isGoing,
    hasOlder: first > 1,
    hasNewer: !room.follows,
    toTop: screen.top,
    toEnd: height - screen.top - screen.height,
  })
  useSeen(isGoing ? null : lastSeen(items, rows, screen), options.saw)
  // A new post is not in view yet, but will be before the next paint.
  const isAtEnd = room.follows && (stays.current || list.isAtEnd(NEAR_END_PX))
  return { items, height, measure: list.measureElement, isAtEnd: isGoing || isAtEnd, toNewest, onFocus, older }
}

const LIVE_PX = 72

function useRowList({ rows, unfolded, live, scroller }: PlaceOptions, first: number, ownTop: RefObject<number>) {
  const focused = useRef<number | null>(null)
  const getItemKey = useCallback(
    (index: number) => rows[index]?.post.seq ?? `live ${live[index - rows.length]?.runId}`,
    [rows, live],
  )
  const list = useVirtualizer<HTMLDivElement, Element>({
    count: rows.length + live.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => {
      const row = rows[index]
      return row ? estimateHeight(row, isHidden(row, unfolded)) : LIVE_PX
    },
    getItemKey,
    overscan: 6,
    paddingStart: TOP_LINE_PX,
    paddingEnd: 16,
    scrollPaddingStart: 72,
    anchorTo: 'end',
    scrollEndThreshold: NEAR_END_PX,
    scrollToFn: (offset, how, instance) => {
      elementScroll(offset, how, instance)
      ownTop.current = scroller.current?.scrollTop ?? ownTop.current
    },
    // The focused row stays rendered off the screen, so that the focus is not lost.
    rangeExtractor: (range) => withRow(range, focused.current === null ? null : focused.current - first),
  })
  const onFocus = useCallback(({ target }: FocusEvent) => {
    const seq = target.closest('[data-seq]')?.getAttribute('data-seq')
    focused.current = seq ? Number(seq) : null
  }, [])
  return { list, onFocus }
}

function withRow(range: Range, index: number | null): number[] {
  const shown = defaultRangeExtractor(range)
  if (index === null || index < 0 || index >= range.count || shown.includes(index)) return shown
  return [...shown, index].sort((one, other) => one - other)
}
