import type { TaskCard, TaskStatus } from '@clawboo/core/board'
import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  type PointerEvent,
  type Ref,
  useCallback,
  useEffect,
  useImperativeHandle,
  useRef,
} from 'react'
import type { BoardColumn } from '../../api/board.ts'
import { STATUS_TITLES, type TaskWait } from '../../shared/task/task-state.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Icon } from '../../ui/icon.tsx'
import type { DropPlace, DropVerdict } from './drop-place.ts'
import type { Participants } from './participants.ts'
import { TaskCardView, type Work } from './task-card.tsx'

export interface ColumnHandle {
  /** Scrolls to a card and focuses it; false when the card is not in this column. */
  readonly focusCard: (id: string) => boolean
}

export interface ColumnProps {
  readonly column: BoardColumn
  /** Whether a phone shows this column. */
  readonly isChosen: boolean
  readonly heldId: string | null
  /** The result of dropping the held card here; null while none is held. */
  readonly verdict: DropVerdict | null
  readonly over: DropPlace | null
  readonly openId: string | null
  readonly waits: ReadonlyMap<string, TaskWait>
  readonly working: ReadonlyMap<string, Work>
  readonly participants: Participants
  /** Whether the card is held with the keyboard. */
  readonly isByKeys: boolean
  readonly isLoadingMore: boolean
  /** Loading more failed; the person can retry. */
  readonly hasFailed: boolean
  readonly onMore: (status: TaskStatus) => void
  readonly onPointerDown: (event: PointerEvent, card: TaskCard) => void
  readonly onKeyDown: (event: KeyboardEvent, card: TaskCard) => void
  readonly ref: Ref<ColumnHandle>
}

/** The number of cards before the end at which more are loaded. */
const NEAR_END = 20

/** One column. An empty column is a narrow strip, so that columns with tasks have more space. */
export function ColumnView(props: ColumnProps) {
  const { column, isChosen, verdict, over } = props
  const title = STATUS_TITLES[column.status]
  const isEmpty = column.tasks.length === 0
  const isOver = over?.status === column.status
  return (
    <section
      aria-label={`${title}, ${countWords(column)}`}
      data-column={column.status}
      data-refuses={verdict && !verdict.ok ? '' : undefined}
      className={classNames(
        'min-h-0 flex-col rounded-m',
        isChosen ? 'flex flex-1' : 'hidden wide:flex',
        widthClass(column.tasks.length),
        verdict && !verdict.ok && 'opacity-60',
        isOver && (verdict?.ok ? 'bg-accent-soft' : 'bg-bad-soft opacity-100'),
      )}
    >
      <ColumnHead column={column} isEmpty={isEmpty} isRefused={verdict !== null && !verdict.ok} />
      {isEmpty ? (
        <p className="px-2 py-6 text-center text-sm text-muted wide:hidden">{`Nothing in ${STATUS_TITLES[column.status]}`}</p>
      ) : (
        <Cards {...props} isOver={isOver} />
      )}
      {/* Below the cards: above them it would move the drop target. */}
      {verdict && !verdict.ok && !isEmpty ? <p className="px-2 pt-2 pb-16 text-sm text-muted">{verdict.why}</p> : null}
    </section>
  )
}

/** The more tasks, the wider the column; an empty one is a strip with its name. */
function widthClass(tasks: number): string {
  if (tasks === 0) return 'wide:w-[46px] wide:flex-none'
  return tasks < 3
    ? 'wide:min-w-[150px] wide:max-w-[300px] wide:flex-1'
    : 'wide:min-w-[200px] wide:max-w-[380px] wide:flex-[1.5]'
}

function ColumnHead({ column, isEmpty, isRefused }: { column: BoardColumn; isEmpty: boolean; isRefused: boolean }) {
  return (
    <h2
      className={classNames(
        'flex shrink-0 items-center gap-2 px-2 pt-1 pb-2 text-sm font-semibold text-muted',
        isEmpty && 'wide:flex-col-reverse wide:justify-end wide:self-stretch',
      )}
    >
      <span className={classNames('min-w-0 truncate', isEmpty && 'wide:[writing-mode:vertical-rl]')}>
        {STATUS_TITLES[column.status]}
      </span>
      {isRefused ? <Icon name="close" size={12} /> : null}
      <span className={classNames('tabular-nums', !isEmpty && 'ml-auto')}>{shownCount(column)}</span>
    </h2>
  )
}

function Cards(props: ColumnProps & { readonly isOver: boolean }) {
  const { column, over, isOver } = props
  const { tasks } = column
  const scroller = useRef<HTMLDivElement>(null)
  const getItemKey = useCallback((index: number) => tasks[index]!.id, [tasks])
  const list = useVirtualizer({
    count: tasks.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 96,
    getItemKey,
    gap: 8,
    overscan: 6,
  })
  const items = list.getVirtualItems()
  const endAt = items.length > 0 && items.at(-1)!.index >= tasks.length - NEAR_END ? tasks.length : null
  useReadOnAt(endAt, props)
  useHeldPlaceInView(isOver && props.isByKeys ? tasks.findIndex(({ id }) => id === over?.beforeId) : -1, list)
  useImperativeHandle(props.ref, () => ({
    focusCard: (id) => {
      const index = tasks.findIndex((task) => task.id === id)
      if (index < 0) return false
      focusCardAt(scroller.current, id, () => list.scrollToIndex(index))
      return true
    },
  }))
  return (
    <div ref={scroller} data-cards className="min-h-0 flex-1 overflow-y-auto px-1 pb-3 [overflow-anchor:none]">
      {/* biome-ignore lint/a11y/useSemanticElements: the virtual list positions the cards, and a ul adds styles of its own */}
      <div
        role="list"
        aria-label={STATUS_TITLES[column.status]}
        className="relative"
        style={{ height: list.getTotalSize() }}
      >
        {items.map((row) => {
          const card = tasks[row.index]!
          return (
            // biome-ignore lint/a11y/useSemanticElements: see above
            <div
              key={row.key}
              ref={list.measureElement}
              role="listitem"
              aria-posinset={row.index + 1}
              aria-setsize={column.hasMore ? -1 : tasks.length}
              data-index={row.index}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${row.start}px)` }}
            >
              {isOver && over?.beforeId === card.id ? <DropMark /> : null}
              <CardInColumn {...props} card={card} />
            </div>
          )
        })}
      </div>
      <ColumnFoot {...props} />
    </div>
  )
}

/** Scrolls to the card before which a card held with the keyboard would go; -1 = none. */
function useHeldPlaceInView(index: number, list: { readonly scrollToIndex: (index: number) => void }): void {
  useEffect(() => {
    if (index >= 0) list.scrollToIndex(index)
  }, [index, list])
}

/** Loads more of a column when its end, at `endAt` cards, comes near. */
function useReadOnAt(endAt: number | null, { column, hasFailed, onMore }: ColumnProps): void {
  const { hasMore, status } = column
  useEffect(() => {
    if (endAt !== null && hasMore && !hasFailed) onMore(status)
  }, [endAt, hasMore, hasFailed, status, onMore])
}

function ColumnFoot({ column, isOver, over, isLoadingMore, onMore }: ColumnProps & { readonly isOver: boolean }) {
  return (
    <>
      {isOver && over?.beforeId === null ? (
        <div className="relative h-2">
          <DropMark />
        </div>
      ) : null}
      {column.hasMore ? (
        <Button kind="quiet" className="mt-2 w-full" disabled={isLoadingMore} onClick={() => onMore(column.status)}>
          {isLoadingMore ? 'Loading more tasks' : 'Load more tasks'}
        </Button>
      ) : null}
    </>
  )
}

function CardInColumn(props: ColumnProps & { readonly card: TaskCard }) {
  const { card } = props
  return (
    <TaskCardView
      card={card}
      wait={props.waits.get(card.id) ?? null}
      work={props.working.get(card.id) ?? null}
      participants={props.participants}
      isOpen={props.openId === card.id}
      isHeld={props.heldId === card.id}
      onPointerDown={props.onPointerDown}
      onKeyDown={props.onKeyDown}
    />
  )
}

function DropMark() {
  return <span aria-hidden="true" className="absolute inset-x-1 -top-[5px] h-0.5 rounded-full bg-accent" />
}

function focusCardAt(scroller: HTMLElement | null, id: string, scrollTo: () => void): void {
  const find = () => scroller?.querySelector<HTMLElement>(`[data-card="${CSS.escape(id)}"] a`)
  if (!find()) scrollTo()
  let tries = 10
  const attempt = () => {
    const link = find()
    if (link) {
      link.focus({ preventScroll: true })
      link.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    } else if (tries-- > 0) requestAnimationFrame(attempt)
  }
  attempt()
}

function shownCount({ tasks, hasMore }: BoardColumn): string {
  return `${tasks.length.toLocaleString('en-GB')}${hasMore ? '+' : ''}`
}

function countWords(column: BoardColumn): string {
  return column.tasks.length === 1 && !column.hasMore ? '1 task' : `${shownCount(column)} tasks`
}
