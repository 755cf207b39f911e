import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type ReactNode, type Ref, useCallback, useImperativeHandle, useRef } from 'react'

export interface VirtualListHandle {
  /** Moves the focus to a row, and scrolls there first if the row is not on the screen. */
  readonly focusItem: (index: number) => void
  /** Scrolls to the offset that `to` returns for the current one. */
  readonly move: (to: (offset: number) => number) => void
}

export interface VirtualListProps<T> {
  readonly label: string
  readonly items: readonly T[]
  /** Must be the same function for the life of the list. */
  readonly keyOf: (item: T) => string
  readonly heightOf: (item: T) => number
  readonly render: (item: T, index: number) => ReactNode
  readonly onKeyDown?: (event: KeyboardEvent) => void
  readonly initialOffset?: number
  readonly onScrolled?: (offset: number) => void
  readonly ref?: Ref<VirtualListHandle>
}

/** A list that renders only the visible rows. The arrow keys move between the first link or button of each row. */
export function VirtualList<T>(props: VirtualListProps<T>) {
  const { items, keyOf, heightOf } = props
  const scroller = useRef<HTMLDivElement>(null)
  // The virtualizer measures every row again when this changes, so it must change only with the items.
  const getItemKey = useCallback((index: number) => keyOf(items[index]!), [items, keyOf])
  const list = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => heightOf(items[index]!),
    getItemKey,
    initialOffset: props.initialOffset ?? 0,
    overscan: 8,
  })
  useImperativeHandle(props.ref, () => ({
    focusItem: (index) => focusRow(scroller.current, index, list.scrollToIndex),
    move: (to) => {
      if (scroller.current) scroller.current.scrollTop = to(scroller.current.scrollTop)
    },
  }))
  return (
    <div
      ref={scroller}
      className="min-h-0 flex-1 overflow-y-auto [overflow-anchor:none]"
      onScroll={(event) => props.onScrolled?.(event.currentTarget.scrollTop)}
      data-virtual-list
    >
      {/* biome-ignore lint/a11y/useSemanticElements: the virtual list positions the rows, and a ul adds styles of its own */}
      <div
        role="list"
        aria-label={props.label}
        className="relative"
        style={{ height: list.getTotalSize() }}
        onKeyDown={props.onKeyDown}
      >
        {list.getVirtualItems().map((row) => (
          // biome-ignore lint/a11y/useSemanticElements: see above
          <div
            key={row.key}
            role="listitem"
            aria-posinset={row.index + 1}
            aria-setsize={items.length}
            data-index={row.index}
            className="absolute inset-x-0 top-0"
            style={{ height: row.size, transform: `translateY(${row.start}px)` }}
          >
            {props.render(items[row.index]!, row.index)}
          </div>
        ))}
      </div>
    </div>
  )
}

function focusRow(scroller: HTMLElement | null, index: number, scrollTo: (index: number) => void): void {
  scrollTo(index)
  let tries = 10
  const attempt = () => {
    const row = scroller?.querySelector<HTMLElement>(`[data-index="${index}"] :is(a, button)`)
    if (row) row.focus({ preventScroll: true })
    else if (tries-- > 0) requestAnimationFrame(attempt)
  }
  attempt()
}
