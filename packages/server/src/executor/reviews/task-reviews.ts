import { ClawbooError } from '@clawboo/core'
import type { BoardTask, Evidence } from '@clawboo/core/board'
import { type BoardActor, namedPerson } from '../../board/board-actor.ts'
import { taskNotFound } from '../../board/board-change.ts'
import type { Tasks } from '../../board/tasks.ts'
import type { Store } from '../../store/open-store.ts'
import type { StoredExecution } from '../../store/repositories/board/executions-repository.ts'
import { workplaceAttempt } from '../dispatch/open-workplace.ts'
import type { WorkplaceDiff } from '../worktrees/diff-of.ts'
import type { MergeResult } from '../worktrees/merge.ts'
import type { Check } from '../worktrees/run-check.ts'
import type { Refusal, Workplace } from '../worktrees/workplace.ts'
import type { Worktrees } from '../worktrees/worktrees.ts'
import { taskConflict, type WorkplaceTurns } from './worktree-locks.ts'

/**
 * What a person does with the work of a task that changes files: where its newest attempt with a workplace works or
 * worked. Refusals are `workplace_refused` with the reason, and `task_conflict` while somebody else is at it.
 */
export interface WorkplaceReviews {
  diff(taskId: string): Promise<TaskDiff>
  /** The task stays where it is: that it is done is a matter of evidence. */
  merge(taskId: string, by: BoardActor): Promise<TaskMerge>
  cleanUp(taskId: string): Promise<readonly SettledWorkplace[]>
  /** Runs the team's check and keeps its exit code as evidence. */
  check(taskId: string): Promise<TaskCheck>
  /** Notes what changed and nobody has seen yet. What cannot be read is left to whoever wants to see it. */
  noteChanges(taskId: string): Promise<void>
  /** Ends the checks that go on and waits for everything else. Whoever comes then is told that the server stops. */
  close(): Promise<void>
}

export interface TaskDiff {
  /** null = there is none, or none any more. */
  readonly workplace: {
    readonly attempt: number
    readonly folder: string
    readonly branch: string | null
  } | null
  /** null also while somebody works there: what is half done is not to be taken for a change. */
  readonly diff: WorkplaceDiff | null
}

export type TaskMerge = Pick<Extract<MergeResult, { ok: true }>, 'how' | 'commit' | 'files'>

export type TaskCheck = Omit<Check, 'sha256Before' | 'sha256After'> & { readonly evidence: Evidence }

export interface SettledWorkplace {
  readonly attempt: number
  readonly outcome: 'removed' | 'nothing' | 'parked' | 'refused'
  /** Where it stays, and why; null when it does not. */
  readonly folder: string | null
  readonly because: string | null
}

export interface ReviewDependencies {
  readonly store: Store
  readonly tasks: Pick<Tasks, 'addEvidence' | 'comment' | 'noteChange'>
  readonly worktrees: Worktrees
  /** The dispatcher's too. */
  readonly turns: WorkplaceTurns
  /** This server: the workplaces of its attempts lie in its home. */
  readonly instance: string
}

const HOST = { kind: 'host' } as const

export function createWorkplaceReviews(parts: ReviewDependencies): WorkplaceReviews {
  const { turns } = parts
  const inLine = createLine()
  const closing = new AbortController()
  const underWay = new Set<Promise<unknown>>()
  const until = async <T>(work: () => Promise<T>): Promise<T> => {
    if (closing.signal.aborted) throw stopping()
    const going = work()
    underWay.add(going)
    return going.finally(() => underWay.delete(going))
  }
  return {
    diff: (taskId) =>
      until(async () => {
        // In one breath with the turn: an attempt that came in between would be read half done.
        if (!turns.isEntered(taskId)) return turns.read(taskId, () => readDiff(parts, taskId))
        const { reviewed } = await want(parts.store, taskId)
        return reviewed ? { workplace: placeOf(reviewed), diff: null } : NO_DIFF
      }),
    merge: (taskId, by) =>
      until(() => turns.alone(taskId, () => inLine(() => mergeWork(parts, taskId, by, closing.signal)))),
    cleanUp: (taskId) => until(() => turns.alone(taskId, () => cleanUpWork(parts, taskId), 'beside')),
    check: (taskId) => until(() => turns.alone(taskId, () => checkWork(parts, taskId, closing.signal))),
    noteChanges: (taskId) =>
      until(async () => {
        if (!turns.isEntered(taskId)) await turns.read(taskId, () => noteWork(parts, taskId))
      }),
    async close() {
      closing.abort()
      await Promise.allSettled(underWay)
    },
  }
}

/** One merge at a time, of whatever tasks: two may have one project, and each counts on being alone in it. */
function createLine() {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work)
    last = next.catch(() => {})
    return next
  }
}

async function readDiff(parts: ReviewDependencies, taskId: string): Promise<TaskDiff> {
  const { task, reviewed } = await want(parts.store, taskId)
  if (!reviewed) return NO_DIFF
  const workplace = placeOf(reviewed)
  if (reviewed.isInUse) return { workplace, diff: null }
  try {
    return { workplace, diff: await look(parts, task, reviewed) }
  } catch (error) {
    if (isRefused(error, 'workplace_missing')) return NO_DIFF
    throw error
  }
}

async function noteWork(parts: ReviewDependencies, taskId: string): Promise<void> {
  const { task, reviewed } = await want(parts.store, taskId)
  if (!reviewed || reviewed.isInUse) return
  await look(parts, task, reviewed).catch((error: unknown) => {
    if (!isRefused(error)) throw error
  })
}

async function cleanUpWork(parts: ReviewDependencies, taskId: string): Promise<SettledWorkplace[]> {
  const { store, turns } = parts
  const { executions } = await want(store, taskId)
  const isKnownWhere = executions.some(({ state, worktree }) => state === 'running' && worktree !== null)
  if (turns.isEntered(taskId) && !isKnownWhere) throw taskConflict(taskId, 'somebody works on the task')
  const settled: SettledWorkplace[] = []
  for (const shared of placesOf(executions).filter((place) => !isInUse(executions, place)))
    settled.push(await settle(parts, shared))
  return settled
}

async function mergeWork(
  parts: ReviewDependencies,
  taskId: string,
  by: BoardActor,
  signal: AbortSignal,
): Promise<TaskMerge> {
  if (signal.aborted) throw stopping()
  const { tasks, worktrees } = parts
  const who = namedPerson(by)
  if (!who) throw new TypeError('a merge is a person’s')
  const { task, reviewed } = await wantReviewed(parts.store, taskId)
  await look(parts, task, reviewed)
  const { attempt } = reviewed.execution
  const message = `${task.title}\n\nTask ${task.id}, attempt ${attempt}`
  const author = { name: who.name, email: `${who.id}@localhost` }
  const { how, commit, files } = accepted(await worktrees.merge(reviewed.workplace, { author, message }))
  const taken = `${who.name} took the work of attempt ${attempt} over into the project`
  if (how !== 'nothing') await tasks.comment(taskId, { body: `${taken}: ${mergeWords({ how, commit, files })}.` }, HOST)
  return { how, commit, files }
}

async function checkWork(parts: ReviewDependencies, taskId: string, signal: AbortSignal): Promise<TaskCheck> {
  const { store, tasks, worktrees } = parts
  const { task, reviewed } = await wantReviewed(store, taskId)
  refusePassed(task, reviewed.execution)
  const command = (await store.teams.project(task.teamId))?.checkCommand ?? null
  if (command === null) throw refused({ code: 'no_check', message: 'The team has no check command.' })
  await look(parts, task, reviewed)
  const { check } = accepted(await worktrees.runCheck(reviewed.workplace, command, { signal }))
  // Ended from here: that says nothing about the work.
  if (check.end === 'aborted') throw stopping()
  const { sha256Before: _before, sha256After: _after, ...seen } = check
  // As of its beginning: what changed while it ran was not checked.
  const shown = { kind: 'check', command, exitCode: check.exitCode, at: check.startedAt } as const
  const evidence = await tasks.addEvidence(taskId, shown, reviewed.execution.id)
  await look(parts, task, reviewed)
  return { ...seen, evidence }
}

/** Reads a workplace, and notes a change that is newer than the board knows. */
async function look(
  { tasks, worktrees }: ReviewDependencies,
  task: BoardTask,
  { workplace }: Reviewed,
): Promise<WorkplaceDiff> {
  const { diff } = accepted(await worktrees.diffOf(workplace))
  const { changedAt } = diff
  if (changedAt !== null && (task.changedAt ?? 0) < changedAt) await tasks.noteChange(task.id, changedAt)
  return diff
}

async function want(store: Store, taskId: string) {
  const task = await store.tasks.get(taskId)
  if (!task) throw taskNotFound(taskId)
  const executions = await store.executions.ofTasks([taskId])
  return { task, executions, reviewed: newestOf(executions) }
}

async function wantReviewed(store: Store, taskId: string): Promise<{ task: BoardTask; reviewed: Reviewed }> {
  const { task, reviewed } = await want(store, taskId)
  if (task.status === 'in_progress' || reviewed?.isInUse) throw taskConflict(taskId, 'somebody works on the task')
  if (!reviewed) throw refused({ code: 'workplace_missing', message: 'No attempt at this task has a workplace.' })
  return { task, reviewed }
}

const NO_DIFF: TaskDiff = { workplace: null, diff: null }

function placeOf({ execution, workplace }: Reviewed): NonNullable<TaskDiff['workplace']> {
  return { attempt: execution.attempt, folder: workplace.folder, branch: execution.worktree?.branch ?? null }
}

interface Reviewed {
  readonly execution: StoredExecution
  readonly workplace: Workplace
  readonly isInUse: boolean
}

function newestOf(executions: readonly StoredExecution[]): Reviewed | null {
  const shared = placesOf(executions).at(-1)
  if (!shared) return null
  return { execution: shared.at(-1)!, workplace: workplaceOf(shared), isInUse: isInUse(executions, shared) }
}

/** The attempts by where they worked, the newest place last: one that goes on from another shares its place. */
function placesOf(executions: readonly StoredExecution[]): StoredExecution[][] {
  const working = executions.filter(({ worktree }) => worktree !== null)
  const places = [...Map.groupBy(working, ({ worktree }) => worktree!.path).values()]
  return places.toSorted((a, b) => a.at(-1)!.attempt - b.at(-1)!.attempt)
}

/** As the rows say; what else is known of the place lies beside it, under the number of the first attempt there. */
function workplaceOf(shared: readonly StoredExecution[]): Workplace {
  const { taskId, worktree } = shared[0]!
  const { path: folder, branch, base } = worktree!
  const attempt = workplaceAttempt(shared, folder)!
  const common = { taskId, attempt, folder, project: '', base: base ?? '', notes: [] }
  return branch === null ? { kind: 'copy', ...common } : { kind: 'worktree', ...common, branch, startedFrom: null }
}

/** Also while an attempt has begun that does not say yet where: it may go on here. */
function isInUse(executions: readonly StoredExecution[], place: readonly StoredExecution[]): boolean {
  const path = place[0]!.worktree!.path
  return executions.some(({ state, worktree }) => state === 'running' && (worktree === null || worktree.path === path))
}

async function settle(
  { store, worktrees, instance }: ReviewDependencies,
  shared: readonly StoredExecution[],
): Promise<SettledWorkplace> {
  const workplace = workplaceOf(shared)
  const { attempt, folder } = workplace
  // From here it looks as if there were none, and it would be forgotten.
  if (shared[0]!.owner !== instance)
    return { attempt, outcome: 'refused', folder, because: 'It lies in the home of another server.' }
  const result = await worktrees.cleanUp(workplace)
  if (!result.ok) return { attempt, outcome: 'refused', folder, because: result.message }
  const { outcome } = result
  if (outcome === 'parked') return { attempt, outcome, folder: result.folder, because: result.because }
  for (const { id } of shared) await store.executions.update(id, { worktree: null })
  return { attempt, outcome, folder: null, because: null }
}

/** Said before the check runs, not after: its evidence would be refused. */
function refusePassed(task: BoardTask, { attempt, state, lostAt }: StoredExecution): void {
  if (attempt === task.attempts && !(state === 'lost' && lostAt === null)) return
  throw new ClawbooError('evidence_refused', 'the attempt is not the task’s newest, or was taken back', {
    details: { taskId: task.id, attempt },
  })
}

function mergeWords({ how, commit, files }: TaskMerge): string {
  const count = files.length === 1 ? '1 file' : `${files.length} files`
  return commit === null ? count : `${count}, ${how}, now at ${commit.slice(0, 12)}`
}

function accepted<T extends { readonly ok: boolean }>(result: T | Refusal): Exclude<T, Refusal> {
  if (!result.ok) throw refused(result as Refusal)
  return result as Exclude<T, Refusal>
}

function refused({ code, message, files }: { code: string; message: string; files?: readonly string[] }): ClawbooError {
  return new ClawbooError('workplace_refused', message, { details: { reason: code, ...(files ? { files } : {}) } })
}

function stopping(): ClawbooError {
  return new ClawbooError('server_stopping', 'the server is stopping; try again when it is back')
}

function isRefused(error: unknown, reason?: string): boolean {
  if (!(error instanceof ClawbooError) || error.code !== 'workplace_refused') return false
  return reason === undefined || error.details.reason === reason
}
