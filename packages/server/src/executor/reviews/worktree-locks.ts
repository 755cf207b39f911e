import { ClawbooError } from '@clawboo/core'

/**
 * Who is in the workplaces of a task: an attempt, or those who review its work. Of this server, and in memory: the
 * workplaces lie in its home, and no other server goes into them. Nothing here waits between looking and taking.
 */
export interface WorkplaceTurns {
  /** For an attempt, from before its claim until it has left the files. null = somebody else is in them. */
  enter(taskId: string): (() => void) | null
  /** An attempt is in them, whatever the board says of it. */
  isEntered(taskId: string): boolean
  /** Somebody reviews the work. */
  isReviewed(taskId: string): boolean
  /** Those who only read wait for each other. Throws `task_conflict`, as `alone` does. */
  read<T>(taskId: string, work: () => Promise<T>): Promise<T>
  /** For what may take long: nobody waits for it. `beside`: an attempt may be in, and the work knows where. */
  alone<T>(taskId: string, work: () => Promise<T>, beside?: 'beside'): Promise<T>
  /** Called after each review. */
  onReviewed(listener: () => void): () => void
}

export function createWorkplaceTurns(): WorkplaceTurns {
  const attempts = new Set<string>()
  const alone = new Set<string>()
  /** The end of the last review of each task. */
  const reviews = new Map<string, Promise<unknown>>()
  const listeners = new Set<() => void>()

  const review = <T>(taskId: string, work: () => Promise<T>, beside?: 'beside'): Promise<T> => {
    if (attempts.has(taskId) && !beside) throw taskConflict(taskId, 'somebody works on the task')
    if (alone.has(taskId)) throw taskConflict(taskId, 'the work of this task is being merged, checked or cleaned up')
    const turn = (reviews.get(taskId) ?? Promise.resolve()).then(work, work)
    reviews.set(taskId, turn)
    const leave = () => {
      if (reviews.get(taskId) !== turn) return
      reviews.delete(taskId)
      alone.delete(taskId)
      for (const listener of listeners) listener()
    }
    turn.then(leave, leave)
    return turn
  }
  return {
    enter(taskId) {
      if (attempts.has(taskId) || reviews.has(taskId)) return null
      attempts.add(taskId)
      let isIn = true
      return () => {
        if (isIn) attempts.delete(taskId)
        isIn = false
      }
    },
    isEntered: (taskId) => attempts.has(taskId),
    isReviewed: (taskId) => reviews.has(taskId),
    read: async (taskId, work) => review(taskId, work),
    async alone(taskId, work, beside) {
      const turn = review(taskId, work, beside)
      alone.add(taskId)
      return turn
    },
    onReviewed(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export function taskConflict(taskId: string, why: string): ClawbooError {
  return new ClawbooError('task_conflict', why, { details: { taskId } })
}
