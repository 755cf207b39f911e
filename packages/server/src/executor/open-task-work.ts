import type { RuntimeRegistry } from '@clawboo/core/executor'
import type { Board } from '../board/open-board.ts'
import type { EventLog } from '../live/event-log.ts'
import type { Log } from '../log.ts'
import type { Processes } from '../processes/process.ts'
import type { RecordChange } from '../registry/record-change.ts'
import type { Store } from '../store/open-store.ts'
import type { Attention } from './attention/attention.ts'
import { createDispatcher } from './dispatch/dispatcher.ts'
import type { Executor } from './open-executor.ts'
import { createPersonTasks } from './people/person-tasks.ts'
import { createTaskReviews } from './reviews/task-reviews.ts'
import { createWorktreeLocks } from './reviews/worktree-locks.ts'
import { ownProjects } from './worktrees/own-projects.ts'
import { openWorktrees } from './worktrees/worktrees.ts'

export type TaskWork = Awaited<ReturnType<typeof openTaskWork>>

/** The work on tasks: agents run them, people answer them, and a person reviews the result. */
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
  readonly processes: Processes
}) {
  const { store, record, log, attention, board, executor, folders } = options
  const { confinement, environment } = options.processes
  const path = environment().PATH ?? ''
  const worktrees = await openWorktrees({ root: folders.worktrees, path, confinement })
  const locks = createWorktreeLocks()
  const dispatch = createDispatcher({
    ...options,
    ...board,
    worktrees,
    worktreeRoot: folders.worktrees,
    locks,
    runs: executor.runs,
    slots: executor.conversations.slots,
  })
  const reviews = createTaskReviews({ ...options, tasks: board.tasks, worktrees, locks })
  const people = createPersonTasks({ store, record, lines: board.lines, attention, events: options.events, log })
  return {
    dispatch,
    reviews,
    makeProject: ownProjects({ worktrees, folder: folders.projects, log }),
    /** Releases the attempts of an earlier process, then starts the ready tasks. */
    async start() {
      await dispatch.start()
      await people.start()
    },
    /** Ends every attempt and every check. */
    async close() {
      await people.close()
      await dispatch.close()
      await reviews.close()
    },
  }
}
