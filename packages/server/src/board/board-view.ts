import { ClawbooError } from '@clawboo/core'
import {
  type Blocker,
  type BoardTask,
  type Evidence,
  judgeReadiness,
  type Readiness,
  TASK_STATUSES,
  type TaskCard,
  type TaskStatus,
} from '@clawboo/core/board'
import type { Repositories, Store } from '../store/open-store.ts'
import type { StoredAttempt } from '../store/repositories/board/attempts-repository.ts'
import type { TaskComment } from '../store/repositories/board/task-comments-repository.ts'
import type { KeptOverride } from '../store/repositories/board/task-evidence-repository.ts'
import type { ColumnPage, TaskFilter } from '../store/repositories/board/tasks-repository.ts'
import { type BoardActor, wantTask } from './board-change.ts'

export interface BoardColumn {
  readonly status: TaskStatus
  /** In the column's order. */
  readonly tasks: readonly TaskCard[]
  readonly hasMore: boolean
}

export interface TaskDetail {
  readonly task: BoardTask
  readonly readiness: Readiness
  /** The tasks that this task waits for. */
  readonly blockers: readonly Blocker[]
  /** The tasks that wait for this task. */
  readonly dependents: readonly Blocker[]
  readonly children: readonly Blocker[]
  readonly comments: readonly TaskComment[]
  readonly evidence: readonly Evidence[]
  /** Each time a person marked the task done without evidence. */
  readonly overrides: readonly KeptOverride[]
  /** Oldest first. */
  readonly attempts: readonly StoredAttempt[]
}

export type BoardView = ReturnType<typeof createBoardView>

const COLUMN_TASKS = 500
const COMMENTS = 500

/** Reads of the board. */
export function createBoardView(store: Store) {
  const column = async (
    tx: Pick<Repositories, 'tasks'>,
    teamId: string,
    status: TaskStatus,
    page: ColumnPage,
  ): Promise<BoardColumn> => {
    const { limit } = page
    const found = await tx.tasks.column(teamId, status, { ...page, limit: limit + 1 })
    return { status, tasks: found.slice(0, limit), hasMore: found.length > limit }
  }
  return {
    /** Every column, one query each. Throws `team_not_found`. */
    board: (
      teamId: string,
      {
        limitPerColumn: limit = COLUMN_TASKS,
        filter,
      }: { readonly limitPerColumn?: number; readonly filter?: TaskFilter } = {},
    ) =>
      // One snapshot for all columns; otherwise a task that moves could appear twice or not at all.
      store.snapshot(async (tx) => {
        await wantTeam(tx, teamId)
        const columns: BoardColumn[] = []
        for (const status of TASK_STATUSES)
          columns.push(await column(tx, teamId, status, { limit, ...(filter ? { filter } : {}) }))
        return columns
      }),
    /** The next page of one column, after a card. Throws `team_not_found`. */
    async column(teamId: string, status: TaskStatus, page: ColumnPage) {
      const found = await column(store, teamId, status, page)
      if (found.tasks.length === 0) await wantTeam(store, teamId)
      return found
    },
    /** The active attempts of these tasks. */
    async working(taskIds: readonly string[]) {
      if (taskIds.length === 0) return []
      const wanted = new Set(taskIds)
      return (await store.attempts.underWay()).filter(({ taskId }) => wanted.has(taskId))
    },
    /** Throws `task_not_found`, including for a task of another team than the agent's. */
    task: (taskId: string, by: BoardActor) =>
      store.snapshot(async (tx) => {
        const task = await wantTask(tx, taskId, by)
        const blockers = (await tx.taskLinks.blockersOf([taskId])).get(taskId)!
        const waiting = await tx.taskLinks.from([taskId])
        return {
          task,
          readiness: judgeReadiness(task, blockers),
          blockers,
          dependents: (await tx.tasks.getMany(waiting.map(({ blockedId }) => blockedId))).map(asBlocker),
          children: (await tx.tasks.children([taskId])).map(asBlocker),
          comments: await tx.taskComments.list(taskId, COMMENTS),
          evidence: await tx.taskEvidence.list(taskId),
          overrides: await tx.taskEvidence.overrides(taskId),
          attempts: await tx.attempts.ofTasks([taskId]),
        }
      }),
  }
}

async function wantTeam(tx: Pick<Repositories, 'teams'>, teamId: string): Promise<void> {
  if (await tx.teams.get(teamId)) return
  throw new ClawbooError('team_not_found', `there is no team "${teamId}"`, { details: { teamId } })
}

function asBlocker({ id, title, status, failedAt }: TaskCard): Blocker {
  return { id, title, status, failedAt }
}
