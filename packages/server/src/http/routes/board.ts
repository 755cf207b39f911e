import type { WaitCode } from '@clawboo/core/board'
import type { BoardView } from '../../board/board-view.ts'
import type { Tasks } from '../../board/tasks.ts'
import type { Handlers } from '../operation-handler.ts'

/** The part of the dispatcher that the routes use. */
export interface DispatchPort {
  /** Every task of the team that is to do but does not start, with the reason. */
  queue(teamId: string): Promise<readonly TaskWait[]>
  /** Ends the run that works on a task. Returns false when there is none. */
  stopTask(taskId: string): Promise<boolean>
  /** Starts a round: a change may let a task start. */
  poke(): void
}

export interface TaskWait {
  readonly taskId: string
  readonly code: WaitCode
  readonly reason: string
}

export interface BoardRouteDependencies {
  readonly view: BoardView
  readonly tasks: Tasks
  readonly dispatch: DispatchPort
}

const CARDS_PER_COLUMN = 100

/** Routes for a team's whole board. Routes for one task are in `tasks.ts`. */
export function boardRoutes({ view, tasks, dispatch }: BoardRouteDependencies) {
  return {
    async readBoard({ params: { teamId }, query: { limit = CARDS_PER_COLUMN, ...wanted } }) {
      const columns = await view.board(teamId, { limitPerColumn: limit, filter: filterOf(wanted) })
      const idsOf = (status: string) => columns.find((column) => column.status === status)!.tasks.map(({ id }) => id)
      const toDo = new Set(idsOf('todo'))
      const waits = toDo.size === 0 ? [] : (await dispatch.queue(teamId)).filter(({ taskId }) => toDo.has(taskId))
      const working = await view.working(idsOf('in_progress'))
      return {
        columns,
        waits: waits.map(({ taskId, code, reason }) => ({ taskId, code, reason })),
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
    async createTask({ params, body }) {
      const task = await tasks.create({ ...body, teamId: params.teamId }, { kind: 'operator' })
      dispatch.poke()
      return task
    },
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
