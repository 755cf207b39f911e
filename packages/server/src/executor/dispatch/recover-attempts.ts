import { readdir } from 'node:fs/promises'
import type { DispatchServices } from './dispatch-services.ts'

const REASON = 'The server stopped during the attempt.'

/**
 * Releases the attempts of this server's earlier process at once, with their cost. A stored report counts instead. The
 * attempts of other servers keep their leases. Call this at the start of the server.
 */
export async function releaseOwnAttempts(
  services: Pick<DispatchServices, 'store' | 'claims' | 'reports' | 'instance' | 'now'>,
): Promise<void> {
  const { store, reports, instance, now = Date.now } = services
  await reports.applyUnread()
  for (const { id, number, owner, runId } of await store.attempts.underWay()) {
    if (owner !== instance) continue
    const costUsd = runId === null ? null : ((await store.runs.get(runId))?.costUsd ?? null)
    await reports.submit({ attemptId: id, attempt: number, outcome: 'released', reason: REASON, costUsd, at: now() })
  }
}

/**
 * Cleans up the worktrees of done and cancelled tasks that contain nothing the project lacks. The worktrees of lost
 * attempts stay, and so do those that an attempt or a review uses.
 */
export async function sweepWorktrees({
  store,
  worktrees,
  worktreeRoot,
  locks,
  log,
}: Pick<DispatchServices, 'store' | 'worktrees' | 'worktreeRoot' | 'locks' | 'log'>): Promise<void> {
  // No folder yet = nothing to clean up.
  const taskIds = (await readdir(worktreeRoot).catch(() => [])).filter((name) => !name.startsWith('.'))
  if (taskIds.length === 0) return
  const tasks = await store.tasks.getMany(taskIds)
  const attempts = await store.attempts.ofTasks(tasks.map(({ id }) => id))
  const isSwept = Promise.withResolvers<void>()
  const finished = new Set<string>()
  for (const { id, status } of tasks) {
    if ((status !== 'done' && status !== 'cancelled') || locks.isEntered(id) || locks.isReviewed(id)) continue
    finished.add(id)
    void locks.alone(id, () => isSwept.promise)
  }
  const swept = await worktrees
    .sweep(attempts.map(({ taskId, number }) => ({ taskId, attempt: number, isOver: finished.has(taskId) })))
    .finally(isSwept.resolve)
  for (const { folder, finding, because } of swept) {
    if (finding === 'unknown' || finding === 'failed') log.warn('a worktree was not cleaned up', { folder, because })
  }
}
