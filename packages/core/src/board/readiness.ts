import { quoteTitle } from './quote-title.ts'
import type { Task } from './task.ts'
import { STATUS_WORDS } from './transitions.ts'

/** A task that another one waits for. */
export type Blocker = Pick<Task, 'id' | 'title' | 'status' | 'failedAt'>

export type Readiness =
  | { readonly ready: true }
  | {
      readonly ready: false
      readonly code: 'not_todo' | 'blocker_failed' | 'blocker_cancelled' | 'blocker_blocked' | 'blocker_open'
      /** For people; follows the task's title. */
      readonly reason: string
    }

/** A task is ready when it is in To do and all its blockers are done. Blockers that need a person are named first. */
export function judgeReadiness(task: Pick<Task, 'status' | 'reason'>, blockers: readonly Blocker[]): Readiness {
  if (task.status !== 'todo') {
    const why = task.reason === null ? '' : `: ${task.reason}`
    return { ready: false, code: 'not_todo', reason: `is ${STATUS_WORDS[task.status]}${why}` }
  }
  const open = blockers.filter((blocker) => blocker.status !== 'done').toSorted(byGravity)
  const first = open[0]
  if (!first) return { ready: true }
  const code = standing(first)
  const quoted = quoteTitle(first.title)
  const others = open.length === 1 ? '' : open.length === 2 ? ' and 1 other' : ` and ${open.length - 1} others`
  if (code === 'blocker_open') {
    const second = open[1]
    const both = second && open.length === 2 ? `${quoted} and ${quoteTitle(second.title)}` : `${quoted}${others}`
    return { ready: false, code, reason: `waits for ${both}` }
  }
  if (code === 'blocker_blocked')
    return { ready: false, code, reason: `waits for ${quoted}, which is blocked${others && `,${others}`}` }
  const rest = others && `; it also waits for${others.replace(' and', '')}`
  return { ready: false, code, reason: `${quoted} ${code === 'blocker_failed' ? 'failed' : 'was cancelled'}${rest}` }
}

const GRAVITY = ['blocker_failed', 'blocker_cancelled', 'blocker_blocked', 'blocker_open'] as const

function standing(blocker: Blocker): (typeof GRAVITY)[number] {
  if (hasFailed(blocker)) return 'blocker_failed'
  if (blocker.status === 'cancelled') return 'blocker_cancelled'
  return blocker.status === 'blocked' ? 'blocker_blocked' : 'blocker_open'
}

/** A failed task stays blocked: only a person can reopen it. */
export function hasFailed(task: Pick<Task, 'status' | 'failedAt'>): boolean {
  return task.status === 'blocked' && task.failedAt !== null
}

function byGravity(a: Blocker, b: Blocker): number {
  const gravity = GRAVITY.indexOf(standing(a)) - GRAVITY.indexOf(standing(b))
  if (gravity !== 0) return gravity
  return a.title === b.title ? (a.id < b.id ? -1 : 1) : a.title < b.title ? -1 : 1
}
