import { type LiveEvent, TASK_EVENT_CHARACTERS } from '@clawboo/api/live-event'
import { ClawbooError } from '@clawboo/core'
import type { BoardTask, NamedPerson, Task, TaskSource, TransitionBy } from '@clawboo/core/board'
import { type Actor, actAs } from '../access/actor.ts'
import type { Log } from '../log.ts'
import type { RecordChange } from '../registry/record-change.ts'
import type { Repositories, Store } from '../store/open-store.ts'
import type { BoardLine } from '../store/repositories/board/board-lines-repository.ts'
import { storableText } from '../store/storable-text.ts'

const LINE_CHARACTERS = 2000

export interface BoardDependencies {
  readonly store: Store
  readonly record: RecordChange
  readonly lines: BoardLines
  readonly now?: () => number
}

/** The result of a change. An empty list of tasks means that nothing changed, and no event is sent. */
export interface BoardChange<T> {
  readonly result: T
  /** Every changed task, once each. */
  readonly tasks: readonly BoardTask[]
  /** One sentence for the room. */
  readonly line: string
  readonly detail?: unknown
}

interface BoardChangeAbout {
  readonly action: string
  readonly teamId: string
  readonly taskId: string
  readonly by: BoardActor
  /** `none` for a change that a single statement decides. */
  readonly lock?: 'team' | 'none'
}

/** Changes the board: rows, audit entry, events and room line in one transaction. Notifies the listeners afterwards. */
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

/**
 * The lock for decisions that depend on several rows of a team's board. Links never leave a team, so one lock is
 * enough.
 */
export function teamLock(teamId: string): string {
  return `board:${teamId}`
}

/** Hides the tasks of other teams from an agent. Throws `task_not_found`. */
export async function wantTask(
  repositories: Pick<Repositories, 'tasks'>,
  id: string,
  by: BoardActor,
): Promise<BoardTask> {
  const task = await repositories.tasks.get(id)
  if (!task || (by.kind === 'agent' && by.teamId !== task.teamId)) throw taskNotFound(id)
  return task
}

/** Reads a task and locks it until the transaction ends. */
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

/** The actor of a board change, derived from a credential and never from an argument. */
export type BoardActor =
  | { readonly kind: 'operator' }
  | { readonly kind: 'person'; readonly id: string; readonly name: string }
  | AgentActor
  /** The server itself, for its own observations and their consequences. */
  | { readonly kind: 'host' }

export interface AgentActor {
  readonly kind: 'agent'
  readonly id: string
  readonly teamId: string
  readonly runId: string
  /** The task of its run; null for a run that answers a message. */
  readonly taskId: string | null
}

export function transitionBy(by: BoardActor, task: Pick<Task, 'assignee'>): TransitionBy {
  if (by.kind === 'agent') return { kind: 'agent', isOwnTask: isOwn(by, task) }
  return { kind: by.kind === 'host' ? 'host' : 'person' }
}

export function isOwn(by: AgentActor, { assignee }: Pick<Task, 'assignee'>): boolean {
  return assignee?.kind === 'agent' && assignee.id === by.id
}

/** Returns null when the actor is not a person. */
export function namedPerson(by: BoardActor): NamedPerson | null {
  if (by.kind === 'operator') return { id: 'operator', name: 'Operator' }
  return by.kind === 'person' ? { id: by.id, name: by.name } : null
}

/** The source of a task. The host creates tasks on behalf of the operator. */
export function sourceOf(by: BoardActor, postId: string | null): TaskSource {
  if (by.kind === 'agent') return { kind: 'agent', id: by.id, runId: by.runId, postId }
  if (by.kind === 'person') return { kind: 'person', id: by.id, runId: null, postId }
  return { kind: 'operator', id: null, runId: null, postId }
}

function auditActor(by: BoardActor): Actor {
  switch (by.kind) {
    case 'operator':
      return { name: 'operator' }
    case 'person':
      return { name: `person:${by.id}` }
    case 'agent':
      return { name: `agent:${by.id}`, runId: by.runId }
    case 'host':
      return { name: 'server' }
  }
}

export type { BoardLine }

export type BoardLines = ReturnType<typeof createBoardLines>

/**
 * Notifies this server of each committed change with one line. A listener that must not miss a line reads it from the
 * store.
 */
export function createBoardLines(log: Log) {
  const listeners = new Set<(line: BoardLine) => void | Promise<void>>()
  // The change is already committed, so a failing listener must not look like a failed change.
  const failed = (error: unknown) => log.error('a board line could not be delivered', { error })
  return {
    onLine(listener: (line: BoardLine) => void | Promise<void>) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    tell(line: BoardLine) {
      for (const listener of listeners) {
        try {
          Promise.resolve(listener(line)).catch(failed)
        } catch (error) {
          failed(error)
        }
      }
    },
  }
}
