import { quoteTitle } from './quote-title.ts'

export const TASK_STATUSES = ['backlog', 'todo', 'in_progress', 'in_review', 'done', 'blocked', 'cancelled'] as const

export type TaskStatus = (typeof TASK_STATUSES)[number]

/**
 * person: the operator or a person. claim: the only mover to in progress. host: applies reports, expired leases and the
 * effects of blockers.
 */
export type TransitionMover = 'person' | 'agent' | 'claim' | 'host'

export type TransitionBy =
  | { readonly kind: 'person' }
  /** An agent with its grant; the task is its own when it is assigned to it. */
  | { readonly kind: 'agent'; readonly isOwnTask: boolean }
  | { readonly kind: 'claim' }
  | { readonly kind: 'host' }

export type TransitionVerdict =
  | { readonly ok: true; readonly changed: boolean }
  | { readonly ok: false; readonly code: 'illegal_transition'; readonly message: string }

/** Which movers may move a task from one status to another. No other move is allowed. */
export const TASK_TRANSITIONS: Readonly<
  Record<TaskStatus, Readonly<Partial<Record<TaskStatus, readonly TransitionMover[]>>>>
> = {
  backlog: { todo: ['person'], cancelled: ['person', 'host'] },
  todo: {
    backlog: ['person'],
    in_progress: ['claim'],
    in_review: ['host'],
    done: ['person'],
    blocked: ['person', 'host'],
    cancelled: ['person', 'host'],
  },
  in_progress: {
    todo: ['person', 'host'],
    in_review: ['person', 'agent', 'host'],
    done: ['person', 'agent', 'host'],
    blocked: ['person', 'agent', 'host'],
    cancelled: ['person'],
  },
  in_review: { todo: ['person'], done: ['person', 'host'], blocked: ['person'], cancelled: ['person'] },
  done: { backlog: ['person'], todo: ['person'] },
  blocked: { backlog: ['person'], todo: ['person'], done: ['person'], cancelled: ['person', 'host'] },
  cancelled: { backlog: ['person', 'host'], todo: ['person', 'host'], blocked: ['host'] },
}

/** Decides whether a task may change its status. `done` also needs evidence: see `judgeDone`. */
export function judgeTransition(from: string, to: string, by: TransitionBy): TransitionVerdict {
  if (!isTaskStatus(from)) return refuse(`There is no status ${quoteTitle(from)}.`)
  if (!isTaskStatus(to)) return refuse(`There is no status ${quoteTitle(to)}.`)
  // A task that is already in progress was claimed by someone else, so this claim fails.
  if (from === to && by.kind !== 'claim') return { ok: true, changed: false }
  const movers = TASK_TRANSITIONS[from][to] ?? []
  if (movers.includes(by.kind)) {
    if (by.kind === 'agent' && !by.isOwnTask) return refuse('An agent can move only its own task.')
    return { ok: true, changed: true }
  }
  if (by.kind === 'claim') return refuse(`Only a task in to do can be claimed; this one is ${STATUS_WORDS[from]}.`)
  if (to === 'in_progress') return refuse('A task moves to in progress only when it is claimed.')
  if (movers.length === 0) return refuse(`A task that is ${STATUS_WORDS[from]} cannot move to ${columnName(to)}.`)
  return refuse(`${MOVER_WORDS[by.kind]} cannot move a task from ${columnName(from)} to ${columnName(to)}.`)
}

export function isTaskStatus(status: string): status is TaskStatus {
  return (TASK_STATUSES as readonly string[]).includes(status)
}

/** A status in a sentence, after “is”. */
export const STATUS_WORDS: Readonly<Record<TaskStatus, string>> = {
  backlog: 'in the backlog',
  todo: 'to do',
  in_progress: 'in progress',
  in_review: 'in review',
  done: 'done',
  blocked: 'blocked',
  cancelled: 'cancelled',
}

function columnName(status: TaskStatus): string {
  return status === 'backlog' ? 'the backlog' : STATUS_WORDS[status]
}

const MOVER_WORDS: Readonly<Record<Exclude<TransitionMover, 'claim'>, string>> = {
  person: 'A person',
  agent: 'An agent',
  host: 'The host',
}

function refuse(message: string): TransitionVerdict {
  return { ok: false, code: 'illegal_transition', message }
}
