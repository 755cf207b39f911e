import type { TaskCard, TaskStatus } from '@clawboo/core/board'
import { type Ref, useEffect, useMemo, useRef, useState } from 'react'
import { type Board, type BoardColumn, type BoardFilter, useMoreOfColumn } from '../../api/board.ts'
import { useMoveTask } from '../../api/tasks.ts'
import { problemWords, reasonOf } from '../../shared/problem-words.ts'
import { STATUS_TITLES } from '../../shared/task/task-state.ts'
import { announce } from '../../ui/announcement.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Note, NoteButton } from '../../ui/note.tsx'
import { ColumnView } from './column-view.tsx'
import { changesPlace, type DropPlace, judgeDrop, withMoved } from './drop-place.ts'
import type { Participants } from './participants.ts'
import { ReasonDialog } from './reason-dialog.tsx'
import { CardFacts } from './task-card.tsx'
import { type Held, useCardDrag } from './use-card-drag.ts'
import type { CardFocus } from './use-card-focus.ts'
import { useCardKeys } from './use-card-keys.ts'

interface ColumnsProps {
  readonly teamId: string
  readonly board: Board
  readonly filter: BoardFilter
  readonly participants: Participants
  readonly chosen: TaskStatus
  readonly openId: string | null
  readonly cardFocus: CardFocus
  readonly onOpen: (taskId: string) => void
}

/** The columns, and the card that is being moved between them. */
export function BoardColumns(props: ColumnsProps) {
  const { board, participants, cardFocus } = props
  const box = useRef<HTMLDivElement>(null)
  const ghost = useRef<HTMLDivElement>(null)
  const moves = useCardMoves(board.columns)
  const columns = useMemo(() => withMoved(board.columns, moves.moving), [board.columns, moves.moving])
  const drag = useCardDrag({ board: box, ghost, onDrop: moves.drop })
  const keys = useCardKeys({ columns, onDrop: moves.drop, focusCard: cardFocus.focusCard })
  const reading = useReadOn(props.teamId, props.filter)
  const held = drag.held ?? keys.held
  const waits = useMemo(() => new Map(board.waits.map((wait) => [wait.taskId, wait])), [board.waits])
  const working = useMemo(() => new Map(board.working.map((work) => [work.taskId, work])), [board.working])
  const handlers = useSteady({
    onPointerDown: drag.onPointerDown,
    onKeyDown: keys.onKeyDown,
    onMore: reading.readOn,
  })
  // The open task narrows the board, so its card, or a card held with the keyboard, may be in a hidden column.
  useColumnInView(columns.find(({ tasks }) => tasks.some(({ id }) => id === props.openId))?.status)
  useColumnInView(keys.held?.over?.status)
  return (
    <>
      {moves.refused ? <RefusedNote {...moves.refused} onOpen={props.onOpen} onForget={moves.forget} /> : null}
      <div
        ref={box}
        data-board
        className={classNames(
          'flex min-h-0 flex-1 gap-2 overflow-x-auto bg-bg px-4 pt-3',
          drag.held && 'cursor-grabbing',
        )}
      >
        {columns.map((column) => (
          <ColumnView
            key={column.status}
            ref={cardFocus.columnRef(column.status)}
            column={column}
            isChosen={props.chosen === column.status}
            heldId={held?.card.id ?? null}
            verdict={held ? judgeDrop(held.card, column.status) : null}
            over={held?.over ?? null}
            openId={props.openId}
            waits={waits}
            working={working}
            participants={participants}
            isByKeys={held?.by === 'keyboard'}
            isLoadingMore={reading.isReading(column.status)}
            hasFailed={reading.hasFailed(column.status)}
            {...handlers}
          />
        ))}
      </div>
      <HeldWords held={held} />
      {drag.held ? <Ghost ref={ghost} card={drag.held.card} participants={participants} /> : null}
      <MoveReason moves={moves} />
    </>
  )
}

function MoveReason({ moves: { asking, send, stopAsking } }: { moves: ReturnType<typeof useCardMoves> }) {
  if (!asking) return null
  return (
    <ReasonDialog
      taskId={asking.card.id}
      title={asking.card.title}
      to={asking.place.status === 'blocked' ? 'blocked' : 'cancelled'}
      onClose={stopAsking}
      onGive={(reason) => void send(asking, reason)}
    />
  )
}

function Ghost(props: {
  readonly card: TaskCard
  readonly participants: Participants
  readonly ref: Ref<HTMLDivElement>
}) {
  return (
    <div
      ref={props.ref}
      aria-hidden="true"
      className="pointer-events-none fixed top-0 left-0 z-50 flex w-[210px] flex-col gap-1.5 rounded-m border border-accent bg-raised px-3 py-2.5 shadow-float"
    >
      <span className="line-clamp-3 leading-snug font-[560]">{props.card.title}</span>
      <CardFacts card={props.card} wait={null} work={null} participants={props.participants} />
    </div>
  )
}

function useColumnInView(status: TaskStatus | undefined): void {
  useEffect(() => {
    if (status === undefined) return
    document.querySelector(`[data-column="${status}"]`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [status])
}

/** Functions with a stable identity, so that cards do not render again. */
function useSteady<T extends Record<string, (...args: never[]) => void>>(now: T): T {
  const current = useRef(now)
  current.current = now
  const steady = useRef<T>(null)
  steady.current ??= Object.fromEntries(
    Object.keys(now).map((name) => [name, (...args: never[]) => current.current[name]!(...args)]),
  ) as T
  return steady.current
}

/** Shows and announces the target of the held card. */
function HeldWords({ held }: { held: Held | null }) {
  return (
    <>
      <p id="board-keys" hidden>
        Enter opens the task. Space picks it up. The arrow keys, Home and End move between tasks.
      </p>
      <div
        role="status"
        aria-live="assertive"
        className="pointer-events-none absolute inset-x-4 bottom-4 z-20 flex justify-center"
      >
        {held ? (
          <p
            className={classNames(
              'rounded-m border px-4 py-2 shadow-float',
              isRefused(held) ? 'border-bad bg-bad-soft text-bad' : 'border-line bg-raised',
            )}
          >
            {heldWords(held)}
          </p>
        ) : null}
      </div>
    </>
  )
}

function isRefused({ card, over }: Held): boolean {
  return over !== null && !judgeDrop(card, over.status).ok
}

function heldWords({ card, over, by }: Held): string {
  const how = by === 'keyboard' ? ' Choose a place with the arrow keys. Space drops it, Escape cancels.' : ''
  if (!over) return `“${card.title}” is picked up.${how}`
  const verdict = judgeDrop(card, over.status)
  if (!verdict.ok) return `${STATUS_TITLES[over.status]}: not possible. ${verdict.why}`
  if (over.status === card.status) return `“${card.title}” stays in ${STATUS_TITLES[over.status]}.${how}`
  const asks = verdict.asks ? ' Requires a reason.' : ''
  return `To ${STATUS_TITLES[over.status]}.${asks}${how}`
}

function RefusedNote(props: {
  readonly card: { readonly id: string; readonly title: string }
  readonly words: string
  readonly onOpen: (taskId: string) => void
  readonly onForget: () => void
}) {
  return (
    <div role="alert">
      <Note tone="bad">
        <span>{`“${props.card.title}” was not moved. ${props.words}`}</span>
        <NoteButton onClick={() => props.onOpen(props.card.id)}>Open the task</NoteButton>
        <NoteButton onClick={props.onForget}>Dismiss</NoteButton>
      </Note>
    </div>
  )
}

interface Moved {
  readonly card: TaskCard
  readonly place: DropPlace
}

interface RefusedMove {
  readonly card: TaskCard
  readonly words: string
}

/** Drops cards: at once if the table allows it, after asking for a reason if one is required, and back if refused. */
function useCardMoves(columns: readonly BoardColumn[]) {
  const [moving, setMoving] = useState<Moved | null>(null)
  const [asking, setAsking] = useState<Moved | null>(null)
  const [refused, setRefused] = useState<RefusedMove | null>(null)
  const move = useMoveTask()
  const send = async (moved: Moved, reason?: string) => {
    const { card, place } = moved
    setAsking(null)
    setRefused(null)
    setMoving(moved)
    try {
      const { warnings } = await move.mutateAsync({
        taskId: card.id,
        to: place.status,
        beforeId: place.beforeId,
        ...(reason === undefined ? {} : { reason }),
      })
      const done = card.status === place.status ? 'moved' : `moved to ${STATUS_TITLES[place.status]}`
      announce([`“${card.title}” ${done}.`, ...warnings].join(' '))
    } catch (error) {
      setRefused({ card, words: reasonOf(error) })
    } finally {
      setMoving(null)
    }
  }
  const drop = (card: TaskCard, place: DropPlace) => {
    const verdict = judgeDrop(card, place.status)
    if (!verdict.ok) return setRefused({ card, words: verdict.why })
    if (!changesPlace(card, place, columns)) return
    if (verdict.asks) setAsking({ card, place })
    else void send({ card, place })
  }
  return { moving, asking, refused, drop, send, stopAsking: () => setAsking(null), forget: () => setRefused(null) }
}

type State = 'reading' | 'failed'

/** Loads more of columns, one request per column at a time. After a failure it waits for the person. */
function useReadOn(teamId: string, filter: BoardFilter) {
  const more = useMoreOfColumn(teamId, filter)
  const [states, setStates] = useState<Readonly<Partial<Record<TaskStatus, State>>>>({})
  const under = useRef(new Set<TaskStatus>())
  const set = (status: TaskStatus, state: State | undefined) => setStates((all) => ({ ...all, [status]: state }))
  const readOn = async (status: TaskStatus) => {
    if (under.current.has(status)) return
    under.current.add(status)
    set(status, 'reading')
    try {
      await more.mutateAsync(status)
      set(status, undefined)
    } catch (error) {
      set(status, 'failed')
      announce(problemWords(error, 'load more tasks'), 'bad')
    } finally {
      under.current.delete(status)
    }
  }
  return {
    readOn: (status: TaskStatus) => void readOn(status),
    isReading: (status: TaskStatus) => states[status] === 'reading',
    hasFailed: (status: TaskStatus) => states[status] === 'failed',
  }
}
