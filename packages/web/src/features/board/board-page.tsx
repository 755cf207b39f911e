import type { TaskStatus } from '@clawboo/core/board'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo, useRef } from 'react'
import { type Board, type BoardFilter, useBoard } from '../../api/board.ts'
import type { Team } from '../../api/teams.ts'
import { MissingPage, TeamLoader } from '../../shared/loaded.tsx'
import { readProblem } from '../../shared/problem-words.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Icon } from '../../ui/icon.tsx'
import { useShortcuts } from '../../ui/keyboard/shortcuts.ts'
import { Menu } from '../../ui/menu.tsx'
import { usePageActions } from '../../ui/page-actions.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { EmptyState, ErrorState } from '../../ui/page-states.tsx'
import { changeSearch } from '../../ui/state/change-search.ts'
import { writeStored } from '../../ui/state/stored-text.ts'
import { counted } from '../../ui/words/time-words.ts'
import { BoardColumns } from './board-columns.tsx'
import { BoardFilters, type FieldHandle } from './board-filters.tsx'
import { type BoardSearch, LAST_BOARD, readBoardSearch } from './board-search.ts'
import { type Participants, useParticipants } from './participants.ts'
import { TaskPanel } from './task/task-panel.tsx'
import { type CardFocus, useCardFocus, useReturnFocus } from './use-card-focus.ts'

const route = getRouteApi('/shell/board/$teamId')

export function BoardPage() {
  const { teamId } = route.useParams()
  return (
    <TeamLoader teamId={teamId} title="Board" missing={<MissingPage name="Team" to="/board" back="Go to Board" />}>
      {(team, teams) => <TeamBoard key={team.id} team={team} teams={teams} />}
    </TeamLoader>
  )
}

function TeamBoard({ team, teams }: { team: Team; teams: readonly Team[] }) {
  // The router also passes other parameters of the address.
  const search = readBoardSearch({ ...route.useSearch() })
  const setSearch = useSetSearch()
  const board = useBoard(team.id, filterOf(search))
  const participants = useParticipants(team.id)
  const cardFocus = useCardFocus()
  const field = useRef<FieldHandle>(null)
  const open = (task: string) => setSearch({ task, view: undefined })
  const chosen = search.column ?? 'todo'
  useEffect(() => writeStored(LAST_BOARD, team.id), [team.id])
  useBoardActions({ team, board: board.data, open, find: () => field.current?.focus() })
  useReturnFocus(search.task, cardFocus)
  const close = () => setSearch({ task: undefined, view: undefined })
  return (
    <>
      {/* On a phone an open task fills the page; the heading stays for screen readers. */}
      <div className={search.task === undefined ? undefined : 'max-wide:sr-only'}>
        <PageHeader title="Board" documentTitle={`${team.name} board`} sub={boardSize(team, board.data)}>
          <span className={classNames('items-center gap-2 wide:flex', search.task === undefined ? 'flex' : 'hidden')}>
            <TeamChoice team={team} teams={teams} />
            <NewTaskButton onClick={() => open('new')} />
          </span>
        </PageHeader>
      </div>
      <div className="flex min-h-0 flex-1">
        <div className={classNames('relative min-w-0 flex-1 flex-col', besideClass(search))}>
          <BoardFilters
            ref={field}
            search={search}
            participants={participants}
            board={board.data}
            chosen={chosen}
            onChange={setSearch}
          />
          <BoardBody
            team={team}
            board={board}
            cardFocus={cardFocus}
            onShow={setSearch}
            search={search}
            participants={participants}
            chosen={chosen}
          />
        </div>
        {search.task === undefined ? null : (
          <TaskPanel
            team={team}
            taskId={search.task}
            view={search.view ?? 'task'}
            participants={participants}
            onShow={setSearch}
            onClose={close}
          />
        )}
      </div>
    </>
  )
}

function NewTaskButton({ onClick }: { onClick: () => void }) {
  return (
    <Button kind="primary" icon="plus" data-new-task onClick={onClick}>
      New task
    </Button>
  )
}

/** An open task is beside the board, or over it on a phone. Its changes need the full width. */
function besideClass({ task, view }: BoardSearch): string {
  if (task === undefined) return 'flex'
  return view === 'changes' ? 'hidden' : 'hidden wide:flex'
}

function BoardBody(props: {
  readonly team: Team
  readonly board: ReturnType<typeof useBoard>
  readonly search: BoardSearch
  readonly participants: Participants
  readonly chosen: TaskStatus
  readonly cardFocus: CardFocus
  readonly onShow: (change: BoardSearch) => void
}) {
  const { team, search, onShow } = props
  const { data, error, refetch } = props.board
  const filter = filterOf(search)
  const open = (task: string) => onShow({ task, view: undefined })
  if (!data) {
    return error ? (
      <ErrorState {...readProblem(error, 'the board')} onRetry={() => void refetch()} />
    ) : (
      <BoardSkeleton />
    )
  }
  if (isBare(data)) {
    const isFiltered = Object.keys(filter).length > 0
    return <NoTasks isFiltered={isFiltered} onMake={() => open('new')} onClear={() => onShow(EVERYTHING)} />
  }
  return (
    <BoardColumns
      teamId={team.id}
      board={data}
      filter={filter}
      participants={props.participants}
      chosen={props.chosen}
      openId={search.task ?? null}
      cardFocus={props.cardFocus}
      onOpen={open}
    />
  )
}

function useBoardActions(options: {
  readonly team: Team
  readonly board: Board | undefined
  readonly open: (task: string) => void
  readonly find: () => void
}): void {
  const { team, open, find } = options
  const make = () => open('new')
  useShortcuts({ '/': find, c: make })
  usePageActions([
    { id: 'new-task', title: 'New task', place: team.name, icon: 'plus', keys: 'c', run: make },
    { id: 'search-board', title: 'Search the board', icon: 'search', keys: '/', run: find },
    ...openActions(options.board, open),
  ])
}

const EVERYTHING: BoardSearch = { q: undefined, who: undefined, priority: undefined }

function useSetSearch(): (change: BoardSearch) => void {
  const navigate = route.useNavigate()
  return useCallback((change) => void navigate(changeSearch(change)), [navigate])
}

function filterOf({ q, who, priority }: BoardSearch): BoardFilter {
  return {
    ...(who === undefined ? {} : { assignee: who }),
    ...(priority === undefined ? {} : { priority }),
    ...(q === undefined ? {} : { text: q }),
  }
}

function TeamChoice({ team, teams }: { team: Team; teams: readonly Team[] }) {
  const navigate = route.useNavigate()
  const named = useMemo(() => [...teams].sort((one, other) => one.name.localeCompare(other.name)), [teams])
  return (
    <Menu
      label="Team"
      trigger={
        <Button className="max-w-[38vw]">
          <span className="truncate">{`Team: ${team.name}`}</span>
          <Icon name="down" size={12} />
        </Button>
      }
      items={named.map(({ id, name }) => ({
        label: name,
        chosen: id === team.id,
        run: () => void navigate({ to: '/board/$teamId', params: { teamId: id }, search: {} }),
      }))}
    />
  )
}

function isBare(board: Board): boolean {
  return board.columns.every(({ tasks }) => tasks.length === 0)
}

function boardSize(team: Team, board: Board | undefined): string {
  if (!board) return team.name
  const count = board.columns.reduce((sum, { tasks }) => sum + tasks.length, 0)
  const hasMore = board.columns.some((column) => column.hasMore)
  return `${team.name} · ${hasMore ? `more than ${count.toLocaleString('en-GB')} tasks` : counted(count, 'task')}`
}

const FOUND_BY_PALETTE = 300

function openActions(board: Board | undefined, open: (taskId: string) => void) {
  const cards = (board?.columns ?? []).flatMap(({ tasks }) => tasks).slice(0, FOUND_BY_PALETTE)
  return cards.map(({ id, title }) => ({
    id: `task ${id}`,
    title,
    place: 'Task',
    icon: 'board' as const,
    run: () => open(id),
  }))
}

function NoTasks(props: { readonly isFiltered: boolean; readonly onMake: () => void; readonly onClear: () => void }) {
  return props.isFiltered ? (
    <EmptyState title="No tasks match">
      <p>Remove a filter to see more.</p>
      <Button onClick={props.onClear}>Show all tasks</Button>
    </EmptyState>
  ) : (
    <EmptyState title="No tasks yet" seed="board">
      <p>Create a task and assign it. An assigned Boo starts automatically. A task needs evidence before it is done.</p>
      <Button kind="primary" onClick={props.onMake}>
        Create the first task
      </Button>
    </EmptyState>
  )
}

function BoardSkeleton() {
  return (
    <div role="status" className="flex min-h-0 flex-1 flex-col bg-bg">
      <p className="px-5 py-2 text-sm text-muted">Loading the board</p>
      <div aria-hidden="true" className="flex gap-3 overflow-hidden px-5">
        {[3, 2, 1, 2].map((cards, column) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the columns are identical and never move
          <div key={column} className="flex w-[214px] shrink-0 flex-col gap-2">
            <span className="skeleton h-4 w-24" />
            {Array.from({ length: cards }, (_, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: see above
              <span key={index} className="skeleton h-[84px] w-full" />
            ))}
          </div>
        ))}
      </div>
    </div>
  )
}
