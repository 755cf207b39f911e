import type { TaskCard } from '@clawboo/core/board'
import { Link } from '@tanstack/react-router'
import { type KeyboardEvent, memo, type PointerEvent } from 'react'
import type { Board } from '../../api/board.ts'
import type { Agent } from '../../api/fleet.ts'
import { WorkPill } from '../../shared/agent/work-pill.tsx'
import { costWords } from '../../shared/run/run-words.ts'
import { AssigneeLine } from '../../shared/task/assignee-line.tsx'
import { type TaskWait, taskState, waitsForWords, whyWords } from '../../shared/task/task-state.ts'
import { classNames } from '../../ui/class-names.ts'
import { Icon } from '../../ui/icon.tsx'
import { Pill } from '../../ui/pill.tsx'
import type { Participants } from './participants.ts'
import { PRIORITY_TITLES } from './task-words.ts'

export type Work = Board['working'][number]

interface CardProps {
  readonly card: TaskCard
  readonly wait: TaskWait | null
  readonly work: Work | null
  readonly participants: Participants
  readonly isOpen: boolean
  /** Whether the keyboard or the pointer holds the card. */
  readonly isHeld: boolean
  readonly onPointerDown: (event: PointerEvent, card: TaskCard) => void
  readonly onKeyDown: (event: KeyboardEvent, card: TaskCard) => void
}

/** One task of a column. The whole card opens the task; the run has its own link. */
export const TaskCardView = memo(function TaskCardView(props: CardProps) {
  const { card, isOpen, isHeld } = props
  return (
    <article
      data-card={card.id}
      onPointerDown={(event) => props.onPointerDown(event, card)}
      className={classNames(
        'relative flex flex-col gap-1.5 rounded-m border bg-surface px-3 py-2.5 select-none hover:border-line-strong',
        isOpen ? 'border-accent' : 'border-line',
        isHeld && 'opacity-50',
      )}
    >
      <Link
        from="/board/$teamId"
        search={(before) => ({ ...before, task: card.id, view: undefined })}
        draggable={false}
        aria-describedby="board-keys"
        onKeyDown={(event) => props.onKeyDown(event, card)}
        className="leading-snug font-[560] outline-none after:absolute after:inset-0 after:rounded-m focus-visible:after:outline-2 focus-visible:after:outline-accent"
      >
        <span className="line-clamp-3">{card.title}</span>
      </Link>
      <CardFacts {...props} />
    </article>
  )
})

/** The facts below the title, including on the dragged card. */
export function CardFacts({
  card,
  wait,
  work,
  participants,
}: Pick<CardProps, 'card' | 'wait' | 'work' | 'participants'>) {
  const why = whyWords(card, wait)
  const state = taskState(card)
  const worker = work ? participants.agent(work.agentId) : undefined
  return (
    <>
      <div className="flex items-center justify-between gap-2 text-sm text-muted">
        <AssigneeLine assignee={card.assignee} participants={participants} />
        {card.costUsd === null ? null : <span className="shrink-0 tabular-nums">{costWords(card.costUsd)}</span>}
      </div>
      <CardMarks card={card} isFailed={state.word === 'Failed'} />
      {work ? <WorkLine work={work} agent={worker} /> : null}
      {why === null ? null : <p className="line-clamp-3 text-sm leading-snug text-muted">{why}</p>}
    </>
  )
}

function CardMarks({ card, isFailed }: { card: TaskCard; isFailed: boolean }) {
  const isPressing = card.priority === 'urgent' || card.priority === 'high'
  const hasMarks = card.priority !== 'normal' || card.openBlockers > 0 || isFailed || card.changesFiles
  if (!hasMarks) return null
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      {isFailed ? <Pill tone="bad">Failed</Pill> : null}
      {card.priority === 'normal' ? null : (
        <Pill tone={isPressing ? 'needs' : 'outline'}>{PRIORITY_TITLES[card.priority]}</Pill>
      )}
      {card.openBlockers > 0 ? <Pill>{waitsForWords(card.openBlockers)}</Pill> : null}
      {card.changesFiles ? (
        <span className="inline-flex h-5 items-center gap-1 text-xs text-muted">
          <Icon name="file" size={12} />
          changes files
        </span>
      ) : null}
    </div>
  )
}

function WorkLine({ work, agent }: { work: Work; agent: Agent | undefined }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-1.5">
      <WorkPill work={work} agent={agent} />
      {work.runId === null ? null : (
        <Link
          to="/runs/$runId"
          params={{ runId: work.runId }}
          draggable={false}
          className="relative z-10 rounded-s text-sm text-accent-text underline-offset-2 max-wide:-my-2 max-wide:py-[11px] hover:underline"
        >
          See the run
        </Link>
      )}
    </div>
  )
}
