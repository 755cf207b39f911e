import { type DemoRun, type DoneCall, objectIn } from './demo-run.ts'

/** A task as the board's tools show it. */
export interface SeenTask {
  readonly id: string
  readonly title: string
  readonly status: string
  readonly reason: string | null
  /** Empty if the tool returned only a card. */
  readonly body: string
  readonly evidence: readonly { readonly kind: string; readonly shows: string }[]
}

const ENDED: readonly string[] = ['in_review', 'done', 'blocked', 'cancelled']
const MAX_CHECKED = 5

export function hasEnded({ status }: SeenTask): boolean {
  return ENDED.includes(status)
}

/** The task in a tool result; null = none. */
export function seenTask({ result, failed }: DoneCall): SeenTask | null {
  const { task, body, evidence } = failed ? {} : (objectIn(result) as Record<string, unknown>)
  const { id, title, status, reason } = (task ?? {}) as Record<string, unknown>
  if (typeof id !== 'string' || typeof status !== 'string') return null
  return {
    id,
    status,
    title: String(title ?? ''),
    reason: typeof reason === 'string' ? reason : null,
    body: typeof body === 'string' ? body : '',
    evidence: Array.isArray(evidence) ? (evidence as SeenTask['evidence']) : [],
  }
}

/**
 * Returns the ids of tasks that earlier runs delegated and have not reported as ended. With `again`, includes the
 * reported ones too, because a blocked task may be finished by now.
 */
export function tasksToCheck(earlier: readonly DemoRun[], again: boolean): readonly string[] {
  const calls = earlier.flatMap(({ calls }) => calls)
  const made = calls.filter(({ tool }) => tool === 'create_task').flatMap((call) => seenTask(call)?.id ?? [])
  return made.filter((id) => again || !reportedStatus(earlier, id)).slice(-MAX_CHECKED)
}

/** The status in which a task was last reported as ended; null = never. */
export function reportedStatus(earlier: readonly DemoRun[], taskId: string): string | null {
  const seen = earlier
    .filter(({ isOver }) => isOver)
    .flatMap(({ calls }) => calls.filter(({ tool }) => tool === 'get_task'))
    .flatMap((call) => seenTask(call) ?? [])
  return seen.findLast((task) => task.id === taskId && hasEnded(task))?.status ?? null
}
