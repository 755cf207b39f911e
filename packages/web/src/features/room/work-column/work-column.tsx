import type { TaskCard, TaskStatus } from '@clawboo/core/board'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { type Board, useBoard } from '../../../api/board.ts'
import type { Team } from '../../../api/teams.ts'
import { WorkPill } from '../../../shared/agent/work-pill.tsx'
import { Loaded } from '../../../shared/loaded.tsx'
import { costWords } from '../../../shared/run/run-words.ts'
import { AssigneeLine } from '../../../shared/task/assignee-line.tsx'
import { type TaskWait, taskState, waitsForWords, whyWords } from '../../../shared/task/task-state.ts'
import { Pill } from '../../../ui/pill.tsx'
import { useNow } from '../../../ui/state/use-now.ts'
import type { RoomMembers } from '../room-members.ts'

export interface WorkColumnProps {
  readonly team: Team
  readonly members: RoomMembers
}

const EVERYTHING = {}

/** The team's work, beside the transcript. */
export function WorkColumn({ team, members }: WorkColumnProps) {
  const board = useBoard(team.id, EVERYTHING)
  const now = useNow()
  const work = useMemo(() => board.data && workOf(board.data, now), [board.data, now])
  return (
    <>
      <h2 className="flex shrink-0 items-baseline justify-between gap-3 px-4 pt-3.5 pb-2 text-sm font-[550] text-muted">
        Work
        {work && work.cards.length > 0 ? (
          <span className="tabular-nums">
            <span aria-hidden="true">{work.words.short}</span>
            <span className="sr-only">{work.words.long}</span>
          </span>
        ) : null}
      </h2>
      <Loaded reading={board} name="the work" inLine="px-4 text-sm">
        {(data) => (work ? <WorkCards work={work} board={data} team={team} members={members} /> : null)}
      </Loaded>
    </>
  )
}

function WorkCards(props: WorkColumnProps & { readonly work: WorkList; readonly board: Board }) {
  const { work, board, team, members } = props
  const toBoard = (
    <Link
      to="/board/$teamId"
      params={{ teamId: team.id }}
      className="rounded-s text-sm font-[530] text-accent-text underline-offset-2 hover:underline"
    >
      All on the board
    </Link>
  )
  if (work.cards.length === 0)
    return (
      <p className="px-4 text-sm text-muted">
        {'Nothing in progress. '}
        {toBoard}
      </p>
    )
  return (
    <div className="min-h-0 overflow-y-auto px-3.5 pb-4">
      <ul className="flex flex-col gap-2">
        {work.cards.map((card) => (
          <WorkCard
            key={card.id}
            card={card}
            wait={board.waits.find(({ taskId }) => taskId === card.id) ?? null}
            attempt={board.working.find(({ taskId }) => taskId === card.id) ?? null}
            members={members}
          />
        ))}
      </ul>
      <p className="pt-3 text-center">{toBoard}</p>
    </div>
  )
}

/** The whole card opens the task. */
function WorkCard(props: {
  readonly card: TaskCard
  readonly wait: TaskWait | null
  readonly attempt: Board['working'][number] | null
  readonly members: RoomMembers
}) {
  const { card, wait, attempt, members } = props
  const state = taskState(card)
  const why = whyWords(card, wait)
  return (
    <li className="relative flex flex-col gap-1.5 rounded-m border border-line bg-raised px-3 py-2.5 hover:border-line-strong">
      <Link
        to="/board/$teamId"
        params={{ teamId: card.teamId }}
        search={{ task: card.id }}
        className="leading-snug font-[560] outline-none after:absolute after:inset-0 after:rounded-m focus-visible:after:outline-2 focus-visible:after:outline-accent"
      >
        <bdi className="line-clamp-3">{card.title}</bdi>
      </Link>
      <div className="flex items-center justify-between gap-2 text-sm text-muted">
        <AssigneeLine assignee={card.assignee} participants={members} />
        {card.costUsd === null ? null : <span className="shrink-0 tabular-nums">{costWords(card.costUsd)}</span>}
      </div>
      <div className="flex flex-wrap items-center gap-1.5">
        {attempt ? (
          <WorkPill work={attempt} agent={members.agent(attempt.agentId)} />
        ) : (
          <Pill tone={state.tone}>{state.word}</Pill>
        )}
        {card.openBlockers > 0 ? <Pill>{waitsForWords(card.openBlockers)}</Pill> : null}
      </div>
      {why === null ? null : (
        <p dir="auto" className="line-clamp-2 text-sm leading-snug text-muted">
          {why}
        </p>
      )}
    </li>
  )
}

/** The board shows the rest. */
export const MOST_CARDS = 30

interface WorkList {
  /** Open tasks first, newest first. */
  readonly cards: readonly TaskCard[]
  /** The number of open tasks in words. */
  readonly words: { readonly short: string; readonly long: string }
}

const OPEN: readonly TaskStatus[] = ['todo', 'in_progress', 'in_review', 'blocked']
const ENDED: readonly TaskStatus[] = ['done', 'cancelled']

/** Tasks to do, in progress, blocked or in review, and tasks that ended on the day of `now`. Without the backlog. */
export function workOf(board: Board, now: number): WorkList {
  const of = (statuses: readonly TaskStatus[]) => board.columns.filter(({ status }) => statuses.includes(status))
  const open = of(OPEN).flatMap(({ tasks }) => tasks)
  const ended = of(ENDED).flatMap(({ tasks }) => tasks.filter(({ endedAt }) => isSameDay(endedAt, now)))
  const all = [...open.sort(newestFirst), ...ended.sort(newestFirst)]
  // A column is loaded from its top, but the tasks that ended last are at its bottom.
  const isCut = of([...OPEN, ...ENDED]).some(({ hasMore }) => hasMore)
  const isOpenCut = of(OPEN).some(({ hasMore }) => hasMore)
  return {
    cards: all.slice(0, MOST_CARDS),
    words: isCut
      ? {
          short: `${open.length}${isOpenCut ? '+' : ''} open`,
          long: `${isOpenCut ? 'at least ' : ''}${open.length} open`,
        }
      : { short: `${open.length} of ${all.length}`, long: `${open.length} of ${all.length} still open` },
  }
}

function newestFirst(one: TaskCard, other: TaskCard): number {
  return movedAt(other) - movedAt(one) || (one.id < other.id ? 1 : -1)
}

/** Not the time of the last change, because a card would jump with every comment. */
function movedAt({ endedAt, startedAt, createdAt }: TaskCard): number {
  return endedAt ?? startedAt ?? createdAt
}

function isSameDay(at: number | null, now: number): boolean {
  return at !== null && new Date(at).toDateString() === new Date(now).toDateString()
}
