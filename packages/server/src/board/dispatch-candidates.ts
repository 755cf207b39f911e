import { judgeReadiness, type Readiness, type TaskCard } from '@clawboo/core/board'
import type { StoredExecution } from '../store/executions-repository.ts'
import type { Store } from '../store/open-store.ts'

/** A task that is to do, with what the queue needs to know of it but who its assignee is. */
export interface WaitingTask {
  readonly task: TaskCard
  readonly readiness: Readiness
  /** Attempts since a person last moved it that were lost or given back, one after the other. */
  readonly fruitlessAttempts: number
}

/** Everything that is to do, the most pressing first, then the oldest. */
export function readWaitingTasks(
  store: Store,
  options: { readonly teamId?: string; readonly limit: number },
): Promise<WaitingTask[]> {
  return store.snapshot(async (tx) => {
    const tasks = await tx.tasks.toDo(options)
    const held = tasks.filter(({ openBlockers }) => openBlockers > 0).map(({ id }) => id)
    const blockers = await tx.taskLinks.blockersOf(held)
    const tried = tasks.filter(({ attempts }) => attempts > 0).map(({ id }) => id)
    const executions = Map.groupBy(await tx.executions.ofTasks(tried), ({ taskId }) => taskId)
    return tasks.map((task) => ({
      task,
      readiness: judgeReadiness(task, blockers.get(task.id) ?? []),
      fruitlessAttempts: countFruitless(task, executions.get(task.id) ?? []),
    }))
  })
}

function countFruitless({ attendedAt }: TaskCard, executions: readonly StoredExecution[]): number {
  const since = executions.filter(({ startedAt }) => attendedAt === null || startedAt > attendedAt)
  const last = since.findLastIndex(({ state }) => state !== 'lost' && state !== 'released')
  return since.length - 1 - last
}
