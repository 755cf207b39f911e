import type { RuntimeRegistry } from '@clawboo/core/executor'
import type { Board } from '../board/open-board.ts'
import type { EventLog } from '../live/event-log.ts'
import type { Log } from '../log.ts'
import type { RecordChange } from '../registry/record-change.ts'
import type { Store } from '../store/open-store.ts'
import type { Attention } from './attention/attention.ts'
import { createDispatcher, type Dispatcher } from './dispatch/dispatcher.ts'
import type { Executor } from './open-executor.ts'
import { createPersonTasks } from './people/person-tasks.ts'
import { createWorkplaceReviews, type WorkplaceReviews } from './reviews/task-reviews.ts'
import { createWorkplaceTurns } from './reviews/worktree-locks.ts'
import { ownProjects } from './worktrees/own-projects.ts'
import { openWorktrees } from './worktrees/worktrees.ts'

/** The work on tasks: agents run them, people answer them, and a person reviews the result. */
export interface TaskWork {
  readonly dispatch: Dispatcher
  readonly reviews: WorkplaceReviews
  readonly makeProject: ReturnType<typeof ownProjects>
  /** Releases what an earlier process was working on, then starts ready tasks. */
  start(): Promise<void>
  /** Ends every attempt and every check. */
  close(): Promise<void>
}

export async function openTaskWork(options: {
  readonly store: Store
  readonly record: RecordChange
  readonly log: Log
  readonly instance: string
  readonly runtimes: RuntimeRegistry
  readonly attention: Attention
  readonly events: EventLog
  readonly board: Board
  readonly executor: Pick<Executor, 'runs' | 'conversations'>
  readonly folders: { readonly worktrees: string; readonly projects: string }
  /** The search path for git and checks. */
  readonly path: string
}): Promise<TaskWork> {
  const { store, record, log, attention, board, executor, folders } = options
  const worktrees = await openWorktrees({ root: folders.worktrees, path: options.path })
  const turns = createWorkplaceTurns()
  const dispatch = createDispatcher({
    ...options,
    ...board,
    worktrees,
    turns,
    workplaces: folders.worktrees,
    runs: executor.runs,
    slots: executor.conversations.slots,
  })
  const reviews = createWorkplaceReviews({ ...options, tasks: board.tasks, worktrees, turns })
  const people = createPersonTasks({ store, record, lines: board.lines, attention, events: options.events, log })
  return {
    dispatch,
    reviews,
    makeProject: ownProjects({ worktrees, folder: folders.projects, log }),
    async start() {
      await dispatch.start()
      await people.start()
    },
    async close() {
      await people.close()
      await dispatch.close()
      await reviews.close()
    },
  }
}
