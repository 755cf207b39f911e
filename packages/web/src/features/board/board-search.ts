import { isTaskStatus, TASK_PRIORITIES, type TaskPriority, type TaskStatus } from '@clawboo/core/board'

/** The search parameters of a board. Absent = no filter and no open task. */
export interface BoardSearch {
  readonly q?: string
  /** `agent:<id>`, `person:<id>` or `none`. */
  readonly who?: string
  readonly priority?: TaskPriority
  /** The column that a phone shows. */
  readonly column?: TaskStatus
  /** The id of the open task, or `new`. */
  readonly task?: string
  /** The open view; the task itself by default. */
  readonly view?: 'changes'
}

/** Unknown values are dropped, so that a mistyped address still shows the board. */
export function readBoardSearch(search: Record<string, unknown>): BoardSearch {
  const { q, who, priority, column, task, view } = search
  return {
    ...(typeof q === 'string' && q !== '' ? { q: q.slice(0, 200) } : {}),
    ...(typeof who === 'string' && /^(?:none|(?:agent|person):\P{Cc}{1,200})$/u.test(who) ? { who } : {}),
    ...((TASK_PRIORITIES as readonly unknown[]).includes(priority) ? { priority: priority as TaskPriority } : {}),
    ...(typeof column === 'string' && isTaskStatus(column) ? { column } : {}),
    ...(typeof task === 'string' && task !== '' ? { task } : {}),
    ...(view === 'changes' ? { view } : {}),
  }
}

export const LAST_BOARD = 'clawboo.board'
