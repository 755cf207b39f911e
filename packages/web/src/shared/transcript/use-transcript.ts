import {
  defaultRangeExtractor,
  elementScroll,
  type Range,
  useVirtualizer,
  type VirtualItem,
  type Virtualizer,
} from '@tanstack/react-virtual'
import { type FocusEvent, type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

const NEAR_END_PX = 48
/** The distance to the edge of the loaded entries at which more are loaded. */
const LOAD_MORE_PX = 900
/** The height of the line above the first entry. */
export const TOP_LINE_PX = 44

/** One post, turn or run of a transcript. */
export interface TranscriptEntry {
  readonly key: string | number
}

export interface MoreEntries {
  readonly exist: boolean
  readonly isLoading: boolean
  readonly hasFailed: boolean
  readonly load: () => void
}

interface TranscriptOptions<Entry extends TranscriptEntry> {
  readonly entries: readonly Entry[]
  /** The assumed height of an entry until it is rendered. */
  readonly estimatePx: (entry: Entry) => number
  /** Whether the person is at the end and wants to stay there. */
  readonly stays: RefObject<boolean>
  /** False while newer entries are still to be loaded, or while nothing grows. */
  readonly mayStay: boolean
  /** Whether a line is shown above the first entry. */
  readonly hasTopLine?: boolean
  /** Whether only the entries near the screen are rendered. */
  readonly isVirtual?: boolean
  /** Whether the entries keep their distance to the end or to the start. */
  readonly anchorTo?: 'start' | 'end'
}

export interface TranscriptView {
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly content: RefObject<HTMLDivElement | null>
  readonly items: readonly VirtualItem[]
  readonly height: number
  /** The visible part, in pixels from the start. */
  readonly screen: { readonly top: number; readonly height: number }
  readonly measure: (element: Element | null) => void
  readonly isAtEnd: boolean
  readonly toEnd: () => void
  readonly toEntry: (index: number, align: 'start' | 'center' | 'auto') => void
  readonly onFocus: (event: FocusEvent) => void
}

/** The rendered part of a transcript. The text being read never moves when entries appear above or below it. */
export function useTranscript<Entry extends TranscriptEntry>(options: TranscriptOptions<Entry>): TranscriptView {
  const { entries, stays, mayStay } = options
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const ownTop = useRef(-1)
  const { list, onFocus } = useEntryList(options, scroller, ownTop)
  const height = list.getTotalSize()
  const toEnd = useStayAtEnd({ scroller, content, stays, ownTop, isThere: entries.length > 0, mayStay, growth: height })
  const toEntry = useCallback(
    (index: number, align: 'start' | 'center' | 'auto') => {
      stays.current = false
      list.scrollToIndex(index, { align })
    },
    [list, stays],
  )
  return {
    scroller,
    content,
    items: list.getVirtualItems(),
    height,
    screen: { top: list.scrollOffset ?? 0, height: list.scrollRect?.height ?? 0 },
    measure: list.measureElement,
    // A new entry is not in view yet, but will be before the next paint.
    isAtEnd: mayStay && (stays.current || list.isAtEnd(NEAR_END_PX)),
    toEnd,
    toEntry,
    onFocus,
  }
}

/** Loads more entries near the edges of the loaded part. */
export function useLoadMore(view: TranscriptView, mayLoad: boolean, older: MoreEntries, newer?: MoreEntries): void {
  const { screen, height, isAtEnd } = view
  const isIdle = mayLoad && screen.height > 0 && !older.isLoading && !newer?.isLoading
  // A person who stays at the end reads nothing older, unless the loaded entries do not fill the screen.
  const mayRead = !isAtEnd || height <= screen.height
  const wantsOlder = isIdle && mayRead && older.exist && !older.hasFailed && screen.top < LOAD_MORE_PX
  const toEnd = height - screen.top - screen.height
  const wantsNewer = isIdle && newer?.exist === true && !newer.hasFailed && toEnd < LOAD_MORE_PX
  const load = useRef({ older: older.load, newer: newer?.load })
  load.current = { older: older.load, newer: newer?.load }
  useEffect(() => {
    if (wantsOlder) load.current.older()
  }, [wantsOlder])
  useEffect(() => {
    if (wantsNewer) load.current.newer?.()
  }, [wantsNewer])
}

function useEntryList<Entry extends TranscriptEntry>(
  { entries, estimatePx, hasTopLine = false, isVirtual = false, anchorTo = 'end' }: TranscriptOptions<Entry>,
  scroller: RefObject<HTMLDivElement | null>,
  ownTop: RefObject<number>,
): {
  readonly list: Virtualizer<HTMLDivElement, Element>
  readonly onFocus: (event: FocusEvent) => void
} {
  const focused = useRef<TranscriptEntry['key'] | null>(null)
  const current = useRef(entries)
  current.current = entries
  const getItemKey = useCallback((index: number) => entries[index]!.key, [entries])
  const list = useVirtualizer<HTMLDivElement, Element>({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => estimatePx(entries[index]!),
    getItemKey,
    overscan: isVirtual ? 6 : Number.POSITIVE_INFINITY,
    paddingStart: hasTopLine ? TOP_LINE_PX : 20,
    paddingEnd: 16,
    scrollPaddingStart: 72,
    anchorTo,
    scrollEndThreshold: NEAR_END_PX,
    scrollToFn: (offset, how, instance) => {
      elementScroll(offset, how, instance)
      ownTop.current = scroller.current?.scrollTop ?? ownTop.current
    },
    // The focused entry stays rendered off the screen, so that the focus is not lost.
    rangeExtractor: (range) =>
      withEntry(
        range,
        entries.findIndex(({ key }) => key === focused.current),
      ),
  })
  const onFocus = useCallback(({ target }: FocusEvent) => {
    const index = target.closest('[data-index]')?.getAttribute('data-index')
    focused.current = index ? (current.current[Number(index)]?.key ?? null) : null
  }, [])
  return { list, onFocus }
}

function withEntry(range: Range, index: number): number[] {
  const shown = defaultRangeExtractor(range)
  if (index < 0 || shown.includes(index)) return shown
  return [...shown, index].sort((one, other) => one - other)
}

interface StayOptions extends Pick<TranscriptOptions<TranscriptEntry>, 'stays' | 'mayStay'> {
  readonly scroller: RefObject<HTMLElement | null>
  /** The lower edge of this element is the end. */
  readonly content: RefObject<HTMLElement | null>
  /** The position that the page itself scrolled to: reaching it does not mean that the person left the end. */
  readonly ownTop: RefObject<number>
  /** Whether the content is on the page. */
  readonly isThere: boolean
  /** Changes when the content grew. */
  readonly growth: unknown
}

/**
 * Keeps the newest content in view while the person is at the end. Scrolling up ends that; reaching the end resumes it.
 * Returns a function that goes to the end.
 */
function useStayAtEnd({ scroller, content, stays, ownTop, isThere, mayStay, growth }: StayOptions): () => void {
  const [, setAtEnd] = useState(true)
  const mayStayNow = useRef(mayStay)
  mayStayNow.current = mayStay
  const toEnd = useCallback(() => {
    stays.current = true
    setAtEnd(true)
    const area = scroller.current
    if (!area || !content.current) return
    area.scrollTop += Math.ceil(distanceToEnd(area, content.current))
    ownTop.current = area.scrollTop
  }, [scroller, content, stays, ownTop])
  useEffect(() => {
    const area = scroller.current
    const inside = content.current
    if (!area || !inside || !isThere) return
    let top = area.scrollTop
    const look = () => {
      const isOwn = Math.abs(area.scrollTop - ownTop.current) < 1
      if (distanceToEnd(area, inside) < NEAR_END_PX) stays.current = mayStayNow.current
      // Only a person scrolls up. A growing distance to the end alone may mean that content was added.
      else if (area.scrollTop < top && !isOwn) stays.current = false
      top = area.scrollTop
      setAtEnd(stays.current)
    }
    // The area shrinks when the message field below it grows.
    const observer = new ResizeObserver(() => (stays.current && mayStayNow.current ? toEnd() : look()))
    observer.observe(inside)
    observer.observe(area)
    area.addEventListener('scroll', look, { passive: true })
    look()
    return () => {
      observer.disconnect()
      area.removeEventListener('scroll', look)
    }
  }, [scroller, content, stays, ownTop, toEnd, isThere])
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the content grew
  useLayoutEffect(() => {
    if (mayStay && stays.current) toEnd()
  }, [stays, toEnd, mayStay, growth])
  return toEnd
}

function distanceToEnd(area: HTMLElement, inside: HTMLElement): number {
  return inside.getBoundingClientRect().bottom - area.getBoundingClientRect().bottom
}
