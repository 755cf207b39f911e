import { readdir } from 'node:fs/promises'
import type { DispatchParts } from './dispatch-parts.ts'

const REASON = 'The server stopped while it was at work.'

/**
 * For a server that starts: nobody is behind what it was at work on itself any more, so it is given back at once, with
 * what it cost. A report that was kept counts instead, and what other servers hold waits for its lease.
 */
export async function releaseOwnAttempts(
  parts: Pick<DispatchParts, 'store' | 'claims' | 'reports' | 'instance' | 'now'>,
): Promise<void> {
  const { store, reports, instance, now = Date.now } = parts
  await reports.applyUnread()
  for (const { id, attempt, owner, runId } of await store.executions.underWay()) {
    if (owner !== instance) continue
    const costUsd = runId === null ? null : ((await store.runs.get(runId))?.costUsd ?? null)
    await reports.submit({ executionId: id, attempt, outcome: 'released', reason: REASON, costUsd, at: now() })
  }
}

/**
 * Compares the workplaces on the disk with the board. Those of tasks that are done or cancelled may go, if nothing is
 * lost with them; all others, those of lost attempts included, stay where they are.
 */
export async function sweepWorkplaces(
  { store, worktrees, log }: Pick<DispatchParts, 'store' | 'worktrees' | 'log'>,
  root: string,
): Promise<void> {
  const taskIds = (await readdir(root).catch(() => [])).filter((name) => !name.startsWith('.'))
  const statuses = new Map((await store.tasks.getMany(taskIds)).map(({ id, status }) => [id, status]))
  const known = (await store.executions.ofTasks([...statuses.keys()])).map(({ taskId, attempt }) => {
    const status = statuses.get(taskId)
    return { taskId, attempt, isOver: status === 'done' || status === 'cancelled' }
  })
  const swept = await worktrees.sweep(known)
  for (const { folder, finding, because } of swept) {
    if (finding === 'unknown' || finding === 'failed') log.warn('a workplace was left alone', { folder, because })
  }
}
