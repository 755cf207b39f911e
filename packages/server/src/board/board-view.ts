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
import type { StoredExecution } from '../store/executions-repository.ts'
import type { Repositories, Store } from '../store/open-store.ts'
import type { TaskComment } from '../store/task-comments-repository.ts'
import type { KeptOverride } from '../store/task-evidence-repository.ts'
import type { BoardActor } from './board-actor.ts'
import { wantTask } from './board-change.ts'

export interface BoardColumn {
  readonly status: TaskStatus
  /** In the column's order. */
  readonly tasks: readonly TaskCard[]
  readonly hasMore: boolean
}

export interface TaskDetail {
  readonly task: BoardTask
  readonly readiness: Readiness
  /** What it waits for. */
  readonly blockers: readonly Blocker[]
  /** What waits for it. */
  readonly dependents: readonly Blocker[]
  readonly children: readonly Blocker[]
  readonly comments: readonly TaskComment[]
  readonly evidence: readonly Evidence[]
  /** Each time a person said that it is done without evidence. */
  readonly overrides: readonly KeptOverride[]
  /** The first attempt first. */
  readonly executions: readonly StoredExecution[]
}

/** The board for whoever reads. */
export interface BoardView {
  /** Every column, each read by one query. Throws `team_not_found`. */
  board(teamId: string, page?: { readonly limitPerColumn?: number }): Promise<BoardColumn[]>
  /** More of one column, behind a card. */
  column(
    teamId: string,
    status: TaskStatus,
    page: { readonly limit: number; readonly after?: Pick<TaskCard, 'position' | 'id'> },
  ): Promise<BoardColumn>
  /** Throws `task_not_found`, also for an agent and a task of another team. */
  task(taskId: string, by: BoardActor): Promise<TaskDetail>
}

const COLUMN_TASKS = 500
const COMMENTS = 500

export function createBoardView(store: Store): BoardView {
  const column = async (
    tx: Pick<Repositories, 'tasks'>,
    teamId: string,
    status: TaskStatus,
    { limit, after }: { readonly limit: number; readonly after?: Pick<TaskCard, 'position' | 'id'> },
  ): Promise<BoardColumn> => {
    const found = await tx.tasks.column(teamId, status, { limit: limit + 1, ...(after ? { after } : {}) })
    return { status, tasks: found.slice(0, limit), hasMore: found.length > limit }
  }
  return {
    board: (teamId, { limitPerColumn = COLUMN_TASKS } = {}) =>
      // One moment for all columns, or a task that moves meanwhile would be in two or in none.
      store.snapshot(async (tx) => {
        if (!(await tx.teams.get(teamId)))
          throw new ClawbooError('team_not_found', `there is no team "${teamId}"`, { details: { teamId } })
        const columns: BoardColumn[] = []
        for (const status of TASK_STATUSES) columns.push(await column(tx, teamId, status, { limit: limitPerColumn }))
        return columns
      }),
    column: (teamId, status, page) => column(store, teamId, status, page),
    task: (taskId, by) =>
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
          executions: await tx.executions.ofTasks([taskId]),
        }
      }),
  }
}

function asBlocker({ id, title, status, failedAt }: TaskCard): Blocker {
  return { id, title, status, failedAt }
}
