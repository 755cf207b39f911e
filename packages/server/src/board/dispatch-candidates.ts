import { countFruitless, judgeReadiness, type Readiness, type TaskCard } from '@clawboo/core/board'
import type { Store } from '../store/open-store.ts'
import type { StoredAttempt } from '../store/repositories/board/attempts-repository.ts'
import type { ToDoFilter } from '../store/repositories/board/tasks-repository.ts'

/** A task in to do with everything the queue needs except its assignee's state. */
export interface WaitingTask {
  readonly task: TaskCard
  readonly readiness: Readiness
  /** Counted by `countFruitless`. */
  readonly fruitlessAttempts: number
}

/** Every task in to do: highest priority first, then oldest. */
export function readWaitingTasks(store: Store, options: ToDoFilter): Promise<WaitingTask[]> {
  return store.snapshot(async (tx) => {
    const tasks = await tx.tasks.toDo(options)
    const held = tasks.filter(({ openBlockers }) => openBlockers > 0).map(({ id }) => id)
    const blockers = await tx.taskLinks.blockersOf(held)
    const tried = tasks.filter(({ attempts }) => attempts > 0).map(({ id }) => id)
    const attempts = await tx.attempts.ofTasks(tried)
    const released = attempts.filter(({ state }) => state === 'released').map(({ id }) => id)
    const interrupted = new Set(await tx.taskReports.interruptedAmong(released))
    const isInterrupted = ({ id, state, lostAt }: StoredAttempt) =>
      interrupted.has(id) || (state === 'lost' && lostAt === null)
    const byTask = Map.groupBy(
      attempts.map((attempt) => ({ ...attempt, isInterrupted: isInterrupted(attempt) })),
      ({ taskId }) => taskId,
    )
    return tasks.map((task) => ({
      task,
      readiness: judgeReadiness(task, blockers.get(task.id) ?? []),
      fruitlessAttempts: countFruitless(byTask.get(task.id) ?? [], task.attendedAt),
    }))
  })
}
