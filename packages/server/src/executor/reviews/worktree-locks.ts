import { ClawbooError, createInOrderByKey } from '@clawboo/core'

export type WorktreeLocks = ReturnType<typeof createWorktreeLocks>

/**
 * Keeps an attempt and the reviews of its work out of the same files. The locks are in memory: the worktrees are in
 * this server's home, and no other server uses them. No method waits between its check and its lock.
 */
export function createWorktreeLocks() {
  const attempts = new Set<string>()
  /** The tasks with a review that excludes all others. */
  const exclusive = new Set<string>()
  /** The number of reviews of each task, waiting ones included. */
  const reviews = new Map<string, number>()
  const inOrder = createInOrderByKey()
  const listeners = new Set<() => void>()

  const leave = (taskId: string) => {
    const left = reviews.get(taskId)! - 1
    reviews.set(taskId, left)
    if (left > 0) return
    reviews.delete(taskId)
    exclusive.delete(taskId)
    for (const listener of listeners) listener()
  }
  const review = <T>(taskId: string, work: () => Promise<T>, beside?: 'beside'): Promise<T> => {
    if (attempts.has(taskId) && !beside) throw taskConflict(taskId, 'an attempt at the task is running')
    if (exclusive.has(taskId))
      throw taskConflict(taskId, 'the work of this task is being merged, checked or cleaned up')
    reviews.set(taskId, (reviews.get(taskId) ?? 0) + 1)
    return inOrder(taskId, work).finally(() => leave(taskId))
  }
  return {
    /** Locks the files for an attempt, before its claim. Returns an unlock function; null = the files are in use. */
    enter(taskId: string) {
      if (attempts.has(taskId) || reviews.has(taskId)) return null
      attempts.add(taskId)
      let isLocked = true
      return () => {
        if (isLocked) attempts.delete(taskId)
        isLocked = false
      }
    },
    /** Whether an attempt uses the files, whatever the board shows. */
    isEntered: (taskId: string) => attempts.has(taskId),
    /** Whether a review uses the files. */
    isReviewed: (taskId: string) => reviews.has(taskId),
    /** Runs a review that only reads. Such reviews wait for each other. Rejects with `task_conflict`. */
    read: async <T>(taskId: string, work: () => Promise<T>): Promise<T> => review(taskId, work),
    /**
     * Runs a review that may take long; other reviews are refused meanwhile. Rejects with `task_conflict`. With
     * `beside`, an attempt may use the files at the same time, and `work` must allow for that.
     */
    async alone<T>(taskId: string, work: () => Promise<T>, beside?: 'beside') {
      const result = review(taskId, work, beside)
      exclusive.add(taskId)
      return result
    },
    /** The listener runs after the last of the reviews of a task. */
    onReviewed(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export function taskConflict(taskId: string, problem: string): ClawbooError {
  return new ClawbooError('task_conflict', problem, { details: { taskId } })
}
