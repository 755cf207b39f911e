import { ClawbooError } from '@clawboo/core'
import { judgeDone, STATUS_WORDS } from '@clawboo/core/board'
import type { BoardView, TaskDetail } from '../../board/board-view.ts'
import type { MovedTask } from '../../board/move-task.ts'
import type { Tasks } from '../../board/tasks.ts'
import type { TaskReviews } from '../../executor/reviews/task-reviews.ts'
import type { Handlers } from '../operation-handler.ts'
import type { BoardRouteDependencies, DispatchPort, TaskWait } from './board.ts'

export interface TaskRouteDependencies extends BoardRouteDependencies {
  readonly reviews: TaskReviews
}

/** These routes require the operator's credential. */
const OPERATOR = { kind: 'operator' } as const

export function taskRoutes({ view, tasks, dispatch, reviews }: TaskRouteDependencies) {
  /** Each of these changes may let a task start. */
  const poking = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work
    dispatch.poke()
    return result
  }
  return {
    getTask: ({ params }) => detail(view, dispatch, params.taskId),
    updateTask: ({ params, body }) => poking(tasks.patch(params.taskId, body, OPERATOR)),
    async moveTask({ params: { taskId }, body }) {
      if (body.to === 'done') await reviews.noteChanges(taskId)
      return poking(tasks.move(taskId, body, OPERATOR))
    },
    signOffTask: ({ params }) => poking(tasks.signOff(params.taskId, OPERATOR)),
    overrideTask: ({ params, body }) => poking(tasks.override(params.taskId, body.reason, OPERATOR)),
    linkTask: ({ params, body }) =>
      poking(tasks.link({ blockerId: body.blockerId, blockedId: params.taskId }, OPERATOR)),
    unlinkTask: ({ params }) =>
      poking(tasks.unlink({ blockerId: params.blockerId, blockedId: params.taskId }, OPERATOR)),
    commentTask: ({ params, body }) => tasks.comment(params.taskId, body, OPERATOR),
    takeBackTask: ({ params }) => takeBack({ view, tasks, dispatch }, params.taskId),
    readTaskDiff: ({ params }) => reviews.diff(params.taskId),
    mergeTask: ({ params }) => reviews.merge(params.taskId, OPERATOR),
    cleanUpTask: async ({ params }) => ({ worktrees: await reviews.cleanUp(params.taskId) }),
    checkTask: ({ params }) => reviews.check(params.taskId),
  } satisfies Partial<Handlers>
}

async function detail(view: BoardView, dispatch: DispatchPort, taskId: string) {
  const found = await view.task(taskId, OPERATOR)
  const { task, evidence } = found
  const waits = task.status === 'todo' ? await dispatch.queue(task.teamId) : []
  const verdict = judgeDone({ task, evidence, override: null })
  return {
    ...found,
    wait: plainWait(waits.find((wait) => wait.taskId === taskId)),
    lack: verdict.ok || verdict.code === 'override_refused' ? null : { code: verdict.code, message: verdict.message },
    attempts: found.attempts.map(shownAttempt),
  }
}

function shownAttempt(attempt: TaskDetail['attempts'][number]) {
  const { id, number, agentId, runtime, runId, state, reason, costUsd, worktree, startedAt, endedAt } = attempt
  return { id, number, agentId, runtime, runId, state, reason, costUsd, worktree, startedAt, endedAt }
}

function plainWait(wait: TaskWait | undefined) {
  return wait ? { taskId: wait.taskId, code: wait.code, reason: wait.reason } : null
}

async function takeBack(
  { view, tasks, dispatch }: { view: BoardView; tasks: Tasks; dispatch: DispatchPort },
  taskId: string,
) {
  const { task } = await view.task(taskId, OPERATOR)
  if (task.status !== 'in_progress')
    throw new ClawbooError(
      'illegal_transition',
      `No agent is working on the task; it is ${STATUS_WORDS[task.status]}.`,
      {
        details: { taskId, from: task.status, to: 'backlog' },
      },
    )
  // In parallel: a run that is slow to end must not keep the task, and a run that ends must not pass it on.
  const [stopped, moved] = await Promise.all([dispatch.stopTask(taskId), putBack(tasks, taskId)])
  dispatch.poke()
  return { task: moved.task, stopped }
}

/** Moves through blocked, from which nothing starts: in to do, the task could be claimed again at once. */
async function putBack(tasks: Tasks, taskId: string): Promise<MovedTask> {
  await tasks.move(taskId, { to: 'blocked', reason: 'Taken back by Operator' }, OPERATOR)
  return tasks.move(taskId, { to: 'backlog' }, OPERATOR)
}
