import { type LiveEvent, TASK_EVENT_CHARACTERS } from '@clawboo/api/live-event'
import { ClawbooError } from '@clawboo/core'
import type { BoardTask } from '@clawboo/core/board'
import { actAs } from '../access/actor.ts'
import type { RecordChange } from '../registry/record-change.ts'
import type { Repositories, Store } from '../store/open-store.ts'
import { storableText } from '../store/storable-text.ts'
import { auditActor, type BoardActor } from './board-actor.ts'
import type { BoardLines } from './board-lines.ts'

const LINE_CHARACTERS = 2000

export interface BoardDependencies {
  readonly store: Store
  readonly record: RecordChange
  readonly lines: BoardLines
  readonly now?: () => number
}

/** What a change did. No tasks = nothing changed, and nobody is told. */
export interface BoardChange<T> {
  readonly result: T
  /** Every task that is no longer as it was, each once. */
  readonly tasks: readonly BoardTask[]
  /** One sentence, for the room. */
  readonly line: string
  readonly detail?: unknown
}

export interface BoardChangeAbout {
  readonly action: string
  readonly teamId: string
  readonly taskId: string
  readonly by: BoardActor
  /** `none` for a change that is right by one statement of its own. */
  readonly lock?: 'team' | 'none'
}

/** Changes the board: rows, audit entry, events and the line for the room in one transaction; then the line is told. */
export async function changeBoard<T>(
  { record, lines, now = Date.now }: BoardDependencies,
  { action, teamId, taskId, by, lock = 'team' }: BoardChangeAbout,
  work: (tx: Repositories) => Promise<BoardChange<T>>,
): Promise<T> {
  const actor = auditActor(by)
  const about = { action, subject: taskId, ...(lock === 'team' ? { lock: teamLock(teamId) } : {}) }
  const made = await actAs(actor, () =>
    record(about, async (tx) => {
      const change = await work(tx)
      const line = change.tasks.length === 0 ? null : { teamId, taskId, action, text: lineText(change), at: now() }
      if (line) await tx.boardLines.insert(line)
      return { result: { change, line }, events: change.tasks.map(taskChanged), detail: change.detail }
    }),
  )
  if (made.line) lines.tell(made.line)
  return made.change.result
}

function lineText({ line }: BoardChange<unknown>): string {
  return storableText(line, LINE_CHARACTERS)
}

/** Whoever decides by more than one row of a team's board holds it. Links stay within a team for its sake. */
export function teamLock(teamId: string): string {
  return `board:${teamId}`
}

/** An agent does not learn of other teams' tasks. Throws `task_not_found`. */
export async function wantTask(
  repositories: Pick<Repositories, 'tasks'>,
  id: string,
  by: BoardActor,
): Promise<BoardTask> {
  const task = await repositories.tasks.get(id)
  if (!task || (by.kind === 'agent' && by.teamId !== task.teamId)) throw taskNotFound(id)
  return task
}

/** The task as it is, held until the transaction ends. */
export async function lockTask(tx: Repositories, id: string): Promise<BoardTask> {
  const [task] = await tx.tasks.lock([id])
  if (!task) throw taskNotFound(id)
  return task
}

export function taskNotFound(id: string): ClawbooError {
  return new ClawbooError('task_not_found', `there is no task "${id}"`, { details: { taskId: id } })
}

export function requestInvalid(field: string, message: string): ClawbooError {
  return new ClawbooError('request_invalid', message, { details: { problems: [{ field, message }] } })
}

function taskChanged(task: BoardTask): LiveEvent {
  return { type: 'task-changed', task: { ...task, body: storableText(task.body, TASK_EVENT_CHARACTERS) } }
}
