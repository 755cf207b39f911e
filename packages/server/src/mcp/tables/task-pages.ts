import { ClawbooError } from '@clawboo/core'
import { TASK_STATUSES, type TaskCard, type TaskStatus } from '@clawboo/core/board'
import type { BoardView } from '../../board/board-view.ts'

interface TaskPage {
  readonly tasks: readonly TaskCard[]
  /** The cursor of the next page; null on the last page. */
  readonly next: string | null
}

interface WantedTasks {
  readonly teamId: string
  /** Absent: every task that is not done or cancelled. */
  readonly status?: TaskStatus
  readonly ofAgent?: string
  readonly after?: string
  readonly limit: number
}

const OPEN = TASK_STATUSES.filter((status) => status !== 'done' && status !== 'cancelled')

/** Reads one page, column by column in the order of each column. Throws `team_not_found`. */
export async function readTaskPage(view: Pick<BoardView, 'column'>, wanted: WantedTasks): Promise<TaskPage> {
  const { teamId, status, ofAgent, limit } = wanted
  const from = wanted.after === undefined ? null : readCursor(wanted.after)
  const columns = status === undefined ? OPEN : [status]
  if (from && !columns.includes(from.status)) throw badCursor()
  const filter = ofAgent === undefined ? {} : { filter: { assignee: { kind: 'agent' as const, id: ofAgent } } }
  const found: TaskCard[] = []
  for (const column of columns.slice(from ? columns.indexOf(from.status) : 0)) {
    const after = column === from?.status ? { after: from } : {}
    // Reads one more than fits, so that the cursor of the last page is null.
    const page = await view.column(teamId, column, { limit: limit + 1 - found.length, ...after, ...filter })
    found.push(...page.tasks)
    if (found.length > limit) break
  }
  const tasks = found.slice(0, limit)
  return { tasks, next: found.length > limit ? cursorOf(tasks[limit - 1]!) : null }
}

type Place = Pick<TaskCard, 'status' | 'position' | 'id'>

function cursorOf({ status, position, id }: Place): string {
  return `${status}/${position}/${id}`
}

function readCursor(cursor: string): Place {
  const [, status, position, id] = /^([a-z_]+)\/(-?\d{1,16})\/(.{1,100})$/.exec(cursor) ?? []
  const place = { status: status as TaskStatus, position: Number(position), id: id ?? '' }
  if (!TASK_STATUSES.includes(place.status) || !Number.isSafeInteger(place.position)) throw badCursor()
  return place
}

function badCursor(): ClawbooError {
  return new ClawbooError('request_invalid', 'after must be the `next` of an earlier answer to the same query')
}
