import { quoteTitle } from './quote-title.ts'

export const TASK_STATUSES = ['backlog', 'todo', 'in_progress', 'in_review', 'done', 'blocked', 'cancelled'] as const

export type TaskStatus = (typeof TASK_STATUSES)[number]

/** person: the operator or a person. claim: the one way into work. host: reports, leases, and what follows from blockers. */
export type TransitionMover = 'person' | 'agent' | 'claim' | 'host'

export type TransitionBy =
  | { readonly kind: 'person' }
  /** An agent by its grant; the task is its own when it is assigned to it. */
  | { readonly kind: 'agent'; readonly isOwnTask: boolean }
  | { readonly kind: 'claim' }
  | { readonly kind: 'host' }

export type TransitionVerdict =
  | { readonly ok: true; readonly changed: boolean }
  | { readonly ok: false; readonly code: 'illegal_transition'; readonly message: string }

/** Who may move a task from where to where. What is not here is nobody's. */
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

/** Whether a task may change its status. `done` needs evidence as well: see `judgeDone`. */
export function judgeTransition(from: string, to: string, by: TransitionBy): TransitionVerdict {
  if (!isTaskStatus(from)) return refuse(`There is no status ${quoteTitle(from)}.`)
  if (!isTaskStatus(to)) return refuse(`There is no status ${quoteTitle(to)}.`)
  // Whoever finds a task in progress has not claimed it, so for a claim the same status is no success.
  if (from === to && by.kind !== 'claim') return { ok: true, changed: false }
  const movers = TASK_TRANSITIONS[from][to] ?? []
  if (movers.includes(by.kind)) {
    if (by.kind === 'agent' && !by.isOwnTask) return refuse('An agent may only move its own task.')
    return { ok: true, changed: true }
  }
  if (by.kind === 'claim') return refuse(`Only a task that is to do can be claimed; this one is ${STATUS_WORDS[from]}.`)
  if (to === 'in_progress') return refuse('A task comes into work only by being claimed.')
  if (movers.length === 0) return refuse(`A task that is ${STATUS_WORDS[from]} cannot become ${STATUS_WORDS[to]}.`)
  return refuse(`${MOVER_WORDS[by.kind]} may not move a task that is ${STATUS_WORDS[from]} to ${STATUS_WORDS[to]}.`)
}

export function isTaskStatus(status: string): status is TaskStatus {
  return (TASK_STATUSES as readonly string[]).includes(status)
}

/** How a status reads in a sentence, after “is”. */
export const STATUS_WORDS: Readonly<Record<TaskStatus, string>> = {
  backlog: 'in the backlog',
  todo: 'to do',
  in_progress: 'in progress',
  in_review: 'in review',
  done: 'done',
  blocked: 'blocked',
  cancelled: 'cancelled',
}

const MOVER_WORDS: Readonly<Record<Exclude<TransitionMover, 'claim'>, string>> = {
  person: 'A person',
  agent: 'An agent',
  host: 'The host',
}

function refuse(message: string): TransitionVerdict {
  return { ok: false, code: 'illegal_transition', message }
}
