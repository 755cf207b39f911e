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
 * lost with them; all others, those of lost attempts included, stay where they are, and so do those that somebody is in.
 */
export async function sweepWorkplaces(
  { store, worktrees, turns, log }: Pick<DispatchParts, 'store' | 'worktrees' | 'turns' | 'log'>,
  root: string,
): Promise<void> {
  const taskIds = (await readdir(root).catch(() => [])).filter((name) => !name.startsWith('.'))
  if (taskIds.length === 0) return
  const known = await store.tasks.getMany(taskIds)
  const executions = await store.executions.ofTasks(known.map(({ id }) => id))
  const isSwept = Promise.withResolvers<void>()
  const over = new Set<string>()
  for (const { id, status } of known) {
    if ((status !== 'done' && status !== 'cancelled') || turns.isEntered(id) || turns.isReviewed(id)) continue
    over.add(id)
    void turns.alone(id, () => isSwept.promise)
  }
  const places = executions.map(({ taskId, attempt }) => ({ taskId, attempt, isOver: over.has(taskId) }))
  const swept = await worktrees.sweep(places).finally(isSwept.resolve)
  for (const { folder, finding, because } of swept) {
    if (finding === 'unknown' || finding === 'failed') log.warn('a workplace was left alone', { folder, because })
  }
}
