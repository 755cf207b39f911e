import { ClawbooError } from '@clawboo/core'
import { judgeDone, STATUS_WORDS } from '@clawboo/core/board'
import type { BoardView, TaskDetail } from '../../board/board-view.ts'
import type { MovedTask } from '../../board/move-task.ts'
import type { Tasks } from '../../board/tasks.ts'
import type { Dispatcher } from '../../executor/dispatch/dispatcher.ts'
import type { TaskReviews } from '../../executor/reviews/task-reviews.ts'
import type { Handlers } from '../app.ts'

interface BoardRouteDependencies {
  readonly view: BoardView
  readonly tasks: Tasks
  readonly dispatch: DispatchPort
  readonly reviews: TaskReviews
}

/** The part of the dispatcher that the routes use. */
export type DispatchPort = Pick<Dispatcher, 'queue' | 'stopTask' | 'poke'>

/** These routes require the operator's credential. */
const OPERATOR = { kind: 'operator' } as const
const CARDS_PER_COLUMN = 100

/** Routes for a team's board and its tasks. */
export function boardRoutes({ view, tasks, dispatch, reviews }: BoardRouteDependencies) {
  /** Each of these changes may let a task start. */
  const poking = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work
    dispatch.poke()
    return result
  }
  return {
    async readBoard({ params: { teamId }, query: { limit = CARDS_PER_COLUMN, ...wanted } }) {
      const columns = await view.board(teamId, { limitPerColumn: limit, filter: filterOf(wanted) })
      const idsOf = (status: string) => columns.find((column) => column.status === status)!.tasks.map(({ id }) => id)
      const toDo = new Set(idsOf('todo'))
      const waits = toDo.size === 0 ? [] : (await dispatch.queue(teamId)).filter(({ taskId }) => toDo.has(taskId))
      const working = await view.working(idsOf('in_progress'))
      return {
        columns,
        waits,
        working: working.map(({ taskId, id, number, agentId, runId, startedAt }) => ({
          taskId,
          attemptId: id,
          attempt: number,
          agentId,
          runId,
          startedAt,
        })),
      }
    },
    readBoardColumn: ({ params: { teamId, status }, query }) => {
      const { limit = CARDS_PER_COLUMN, afterPosition, afterId, ...wanted } = query
      const after =
        afterPosition === undefined || afterId === undefined ? {} : { after: { position: afterPosition, id: afterId } }
      return view.column(teamId, status, { limit, filter: filterOf(wanted), ...after })
    },
    createTask: ({ params, body }) => poking(tasks.create({ ...body, teamId: params.teamId }, OPERATOR)),
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

type Filter = NonNullable<NonNullable<Parameters<BoardView['board']>[1]>['filter']>

function filterOf({
  assignee,
  ...more
}: Omit<Filter, 'assignee'> & { readonly assignee?: string | undefined }): Filter {
  if (assignee === undefined) return more
  if (assignee === 'none') return { ...more, assignee: null }
  const colon = assignee.indexOf(':')
  const kind = assignee.slice(0, colon) === 'agent' ? 'agent' : 'person'
  return { ...more, assignee: { kind, id: assignee.slice(colon + 1) } }
}

async function detail(view: BoardView, dispatch: DispatchPort, taskId: string) {
  const found = await view.task(taskId, OPERATOR)
  const { task, evidence } = found
  const waits = task.status === 'todo' ? await dispatch.queue(task.teamId) : []
  const verdict = judgeDone({ task, evidence, override: null })
  return {
    ...found,
    wait: waits.find((wait) => wait.taskId === taskId) ?? null,
    lack: verdict.ok || verdict.code === 'override_refused' ? null : { code: verdict.code, message: verdict.message },
    attempts: found.attempts.map(shownAttempt),
  }
}

function shownAttempt(attempt: TaskDetail['attempts'][number]) {
  const { id, number, agentId, runtime, runId, state, reason, costUsd, worktree, startedAt, endedAt } = attempt
  return { id, number, agentId, runtime, runId, state, reason, costUsd, worktree, startedAt, endedAt }
}

async function takeBack(
  { view, tasks, dispatch }: Pick<BoardRouteDependencies, 'view' | 'tasks' | 'dispatch'>,
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
  // In parallel: a run that ends slowly must not delay the move, and a run that ends first must not release the task.
  const [stopped, moved] = await Promise.all([dispatch.stopTask(taskId), putBack(tasks, taskId)])
  dispatch.poke()
  return { task: moved.task, stopped }
}

/** Moves the task through blocked, where no task starts: in to do, it could be claimed again at once. */
async function putBack(tasks: Tasks, taskId: string): Promise<MovedTask> {
  await tasks.move(taskId, { to: 'blocked', reason: 'Taken back by Operator' }, OPERATOR)
  return tasks.move(taskId, { to: 'backlog' }, OPERATOR)
}
