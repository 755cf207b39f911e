import { judgeTransition, TASK_STATUSES, type TaskCard, type TaskStatus } from '@clawboo/core/board'

export type DropVerdict =
  /** `asks`: the move requires a reason. */
  { readonly ok: true; readonly asks: boolean } | { readonly ok: false; readonly why: string }

/** Uses the board's own transition table; the user of the page is a person. */
export function judgeDrop(card: Pick<TaskCard, 'status'>, to: TaskStatus): DropVerdict {
  const verdict = judgeTransition(card.status, to, { kind: 'person' })
  if (!verdict.ok) return { ok: false, why: verdict.message }
  return { ok: true, asks: verdict.changed && asksWhy(to) }
}

/** The columns that a person may move a task to, except its own. */
export function openTargets(card: Pick<TaskCard, 'status'>): readonly TaskStatus[] {
  return TASK_STATUSES.filter((status) => status !== card.status && judgeDrop(card, status).ok)
}

export function asksWhy(to: TaskStatus): boolean {
  return to === 'blocked' || to === 'cancelled'
}
