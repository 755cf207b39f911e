import { ClawbooError, createInOrder } from '@clawboo/core'
import type { BoardTask, Evidence } from '@clawboo/core/board'
import { type BoardActor, namedPerson, taskNotFound } from '../../board/board-change.ts'
import type { Tasks } from '../../board/tasks.ts'
import type { Store } from '../../store/open-store.ts'
import type { StoredAttempt } from '../../store/repositories/board/attempts-repository.ts'
import { creatorOf } from '../dispatch/attempt-worktree.ts'
import type { WorktreeDiff } from '../worktrees/diff-of.ts'
import type { MergeResult } from '../worktrees/merge.ts'
import type { Refusal } from '../worktrees/refusal.ts'
import type { Check } from '../worktrees/run-check.ts'
import type { Worktree } from '../worktrees/worktree.ts'
import type { Worktrees } from '../worktrees/worktrees.ts'
import { taskConflict, type WorktreeLocks } from './worktree-locks.ts'

export type TaskReviews = ReturnType<typeof createTaskReviews>

export interface TaskDiff {
  /** null = the task has no worktree, or its worktree was removed. */
  readonly worktree: {
    readonly attempt: number
    readonly folder: string
    readonly branch: string | null
  } | null
  /** null also while an attempt is running: unfinished work must not look like a change. */
  readonly diff: WorktreeDiff | null
}

export type TaskMerge = Pick<Extract<MergeResult, { ok: true }>, 'how' | 'commit' | 'files'>

export type TaskCheck = Omit<Check, 'sha256Before' | 'sha256After'> & { readonly evidence: Evidence }

interface CleanedWorktree {
  readonly attempt: number
  readonly outcome: 'removed' | 'nothing' | 'parked' | 'refused'
  /** The folder that stays, and the reason; null when it was removed. */
  readonly folder: string | null
  readonly because: string | null
}

interface ReviewServices {
  readonly store: Store
  readonly tasks: Pick<Tasks, 'addEvidence' | 'comment' | 'noteChange'>
  readonly worktrees: Worktrees
  /** Shared with the dispatcher. */
  readonly locks: WorktreeLocks
  /** Identifies this server: the worktrees of its attempts are in its home. */
  readonly instance: string
}

const HOST = { kind: 'host' } as const

/**
 * The actions of a person on the work of a task that changes files, in its newest worktree. They reject with
 * `worktree_refused` and the reason, or with `task_conflict` while an attempt or another review uses the files.
 */
export function createTaskReviews(services: ReviewServices) {
  const { locks } = services
  // Merges run one after another: several tasks may have the same project, and a merge must be the only one in it.
  const mergeInOrder = createInOrder()
  const closing = new AbortController()
  const running = new Set<Promise<unknown>>()
  const unlessClosing = async <T>(work: () => Promise<T>): Promise<T> => {
    if (closing.signal.aborted) throw serverStopping()
    const result = work()
    running.add(result)
    return result.finally(() => running.delete(result))
  }
  return {
    diff: (taskId: string) =>
      unlessClosing(async () => {
        // No await between this check and the lock: an attempt that starts in between would be read unfinished.
        if (!locks.isEntered(taskId)) return locks.read(taskId, () => readDiff(services, taskId))
        const { newest } = await readTask(services.store, taskId)
        return newest ? { worktree: worktreeView(newest), diff: null } : NO_DIFF
      }),
    /** The task keeps its status: only evidence makes it done. */
    merge: (taskId: string, by: BoardActor) =>
      unlessClosing(() =>
        locks.alone(taskId, () => mergeInOrder(() => mergeWork(services, taskId, by, closing.signal))),
      ),
    cleanUp: (taskId: string) =>
      unlessClosing(() => locks.alone(taskId, () => cleanUpTask(services, taskId), 'beside')),
    /** Runs the team's check and stores its exit code as evidence. */
    check: (taskId: string) =>
      unlessClosing(() => locks.alone(taskId, () => checkWork(services, taskId, closing.signal))),
    /** Stores the time of a change that the board does not have yet. Does nothing when the work cannot be read. */
    noteChanges: (taskId: string) =>
      unlessClosing(async () => {
        if (!locks.isEntered(taskId)) await locks.read(taskId, () => noteWork(services, taskId))
      }),
    /** Aborts the running checks and waits for all other reviews. Later calls reject with `server_stopping`. */
    async close() {
      closing.abort()
      await Promise.allSettled(running)
    },
  }
}

async function readDiff(services: ReviewServices, taskId: string): Promise<TaskDiff> {
  const { task, newest } = await readTask(services.store, taskId)
  if (!newest) return NO_DIFF
  const worktree = worktreeView(newest)
  if (newest.isInUse) return { worktree, diff: null }
  try {
    return { worktree, diff: await readWork(services, task, newest) }
  } catch (error) {
    if (isRefused(error, 'worktree_missing')) return NO_DIFF
    throw error
  }
}

async function noteWork(services: ReviewServices, taskId: string): Promise<void> {
  const { task, newest } = await readTask(services.store, taskId)
  if (!newest || newest.isInUse) return
  await readWork(services, task, newest).catch((error: unknown) => {
    if (!isRefused(error)) throw error
  })
}

async function cleanUpTask(services: ReviewServices, taskId: string): Promise<CleanedWorktree[]> {
  const { store, locks } = services
  const { attempts } = await readTask(store, taskId)
  const hasKnownWorktree = attempts.some(({ state, worktree }) => state === 'running' && worktree !== null)
  if (locks.isEntered(taskId) && !hasKnownWorktree) throw taskConflict(taskId, 'an attempt at the task is running')
  const cleaned: CleanedWorktree[] = []
  for (const sharing of byWorktree(attempts).filter((one) => !isInUse(attempts, one)))
    cleaned.push(await cleanUpWorktree(services, sharing))
  return cleaned
}

async function mergeWork(
  services: ReviewServices,
  taskId: string,
  by: BoardActor,
  signal: AbortSignal,
): Promise<TaskMerge> {
  if (signal.aborted) throw serverStopping()
  const { tasks, worktrees } = services
  const person = namedPerson(by)
  if (!person) throw new TypeError('only a person can merge')
  const { task, newest } = await readReviewable(services.store, taskId)
  await readWork(services, task, newest)
  const { number: attempt } = newest.attempt
  const message = `${task.title}\n\nTask ${task.id}, attempt ${attempt}`
  const author = { name: person.name, email: `${person.id}@localhost` }
  const { how, commit, files } = unlessRefused(await worktrees.merge(newest.worktree, { author, message }))
  const body = `${person.name} merged the work of attempt ${attempt} into the project: ${mergeText({ how, commit, files })}.`
  if (how !== 'nothing') await tasks.comment(taskId, { body }, HOST)
  return { how, commit, files }
}

async function checkWork(services: ReviewServices, taskId: string, signal: AbortSignal): Promise<TaskCheck> {
  const { store, tasks, worktrees } = services
  const { task, newest } = await readReviewable(store, taskId)
  requireNewestAttempt(task, newest.attempt)
  const command = (await store.teams.project(task.teamId))?.checkCommand ?? null
  if (command === null) throw refused({ code: 'no_check', message: 'The team has no check command.' })
  await readWork(services, task, newest)
  const { check } = unlessRefused(await worktrees.runCheck(newest.worktree, command, { signal }))
  // The server aborted the check, which proves nothing about the work.
  if (check.end === 'aborted') throw serverStopping()
  const { sha256Before: _before, sha256After: _after, ...result } = check
  // The evidence has the time of the start: changes during the check were not checked.
  const proof = { kind: 'check', command, exitCode: check.exitCode, at: check.startedAt } as const
  const evidence = await tasks.addEvidence(taskId, proof, newest.attempt.id)
  await readWork(services, task, newest)
  return { ...result, evidence }
}

/** Reads the diff, and stores the time of a change that is newer than the board's. */
async function readWork(
  { tasks, worktrees }: ReviewServices,
  task: BoardTask,
  { worktree }: NewestWorktree,
): Promise<WorktreeDiff> {
  const { diff } = unlessRefused(await worktrees.diffOf(worktree))
  const { changedAt } = diff
  if (changedAt !== null && (task.changedAt ?? 0) < changedAt) await tasks.noteChange(task.id, changedAt)
  return diff
}

interface NewestWorktree {
  /** The newest attempt that worked in the worktree. */
  readonly attempt: StoredAttempt
  readonly worktree: Worktree
  readonly isInUse: boolean
}

async function readTask(store: Store, taskId: string) {
  const task = await store.tasks.get(taskId)
  if (!task) throw taskNotFound(taskId)
  const attempts = await store.attempts.ofTasks([taskId])
  return { task, attempts, newest: newestWorktree(attempts) }
}

async function readReviewable(store: Store, taskId: string): Promise<{ task: BoardTask; newest: NewestWorktree }> {
  const { task, newest } = await readTask(store, taskId)
  if (task.status === 'in_progress' || newest?.isInUse) throw taskConflict(taskId, 'an attempt at the task is running')
  if (!newest) throw refused({ code: 'worktree_missing', message: 'No attempt at this task has a worktree.' })
  return { task, newest }
}

const NO_DIFF: TaskDiff = { worktree: null, diff: null }

function worktreeView({ attempt, worktree }: NewestWorktree): NonNullable<TaskDiff['worktree']> {
  return { attempt: attempt.number, folder: worktree.folder, branch: attempt.worktree?.branch ?? null }
}

function newestWorktree(attempts: readonly StoredAttempt[]): NewestWorktree | null {
  const sharing = byWorktree(attempts).at(-1)
  if (!sharing) return null
  return { attempt: sharing.at(-1)!, worktree: worktreeOf(sharing), isInUse: isInUse(attempts, sharing) }
}

/** The attempts grouped by worktree, the newest worktree last. An attempt that continues another shares its worktree. */
function byWorktree(attempts: readonly StoredAttempt[]): StoredAttempt[][] {
  const withWorktree = attempts.filter(({ worktree }) => worktree !== null)
  const groups = [...Map.groupBy(withWorktree, ({ worktree }) => worktree!.path).values()]
  return groups.toSorted((a, b) => a.at(-1)!.number - b.at(-1)!.number)
}

/**
 * Rebuilds a worktree from the stored attempts. A file beside the worktree, under its first attempt's number, has
 * further details.
 */
function worktreeOf(sharing: readonly StoredAttempt[]): Worktree {
  const { taskId, worktree } = sharing[0]!
  const { path: folder, branch, base } = worktree!
  const attempt = creatorOf(sharing, folder)!
  const common = { taskId, attempt, folder, project: '', base: base ?? '', notes: [] }
  return branch === null ? { kind: 'copy', ...common } : { kind: 'worktree', ...common, branch, startedFrom: null }
}

/** Returns true also during an attempt whose worktree is not stored yet: the attempt may continue in this one. */
function isInUse(attempts: readonly StoredAttempt[], sharing: readonly StoredAttempt[]): boolean {
  const path = sharing[0]!.worktree!.path
  return attempts.some(({ state, worktree }) => state === 'running' && (worktree === null || worktree.path === path))
}

async function cleanUpWorktree(
  { store, worktrees, instance }: ReviewServices,
  sharing: readonly StoredAttempt[],
): Promise<CleanedWorktree> {
  const worktree = worktreeOf(sharing)
  const { attempt, folder } = worktree
  // The folder is in the home of another server: here the worktree would look removed, and its record would be deleted.
  if (sharing[0]!.owner !== instance)
    return { attempt, outcome: 'refused', folder, because: 'The worktree is in the home of another server.' }
  const result = await worktrees.cleanUp(worktree)
  if (!result.ok) return { attempt, outcome: 'refused', folder, because: result.message }
  const { outcome } = result
  if (outcome === 'parked') return { attempt, outcome, folder: result.folder, because: result.because }
  for (const { id } of sharing) await store.attempts.update(id, { worktree: null })
  return { attempt, outcome, folder: null, because: null }
}

/** Checks the attempt before the team's check runs: its evidence would be refused afterwards. */
function requireNewestAttempt(task: BoardTask, { number, state, lostAt }: StoredAttempt): void {
  if (number === task.attempts && !(state === 'lost' && lostAt === null)) return
  throw new ClawbooError('evidence_refused', 'the attempt is not the task’s newest, or was taken back', {
    details: { taskId: task.id, attempt: number },
  })
}

function mergeText({ how, commit, files }: TaskMerge): string {
  const count = files.length === 1 ? '1 file' : `${files.length} files`
  return commit === null ? count : `${count}, ${how}, now at ${commit.slice(0, 12)}`
}

function unlessRefused<T extends { readonly ok: boolean }>(result: T | Refusal): Exclude<T, Refusal> {
  if (!result.ok) throw refused(result as Refusal)
  return result as Exclude<T, Refusal>
}

function refused({ code, message, files }: { code: string; message: string; files?: readonly string[] }): ClawbooError {
  return new ClawbooError('worktree_refused', message, { details: { reason: code, ...(files ? { files } : {}) } })
}

function serverStopping(): ClawbooError {
  return new ClawbooError('server_stopping', 'the server is stopping; try again when it is back')
}

function isRefused(error: unknown, reason?: string): boolean {
  if (!(error instanceof ClawbooError) || error.code !== 'worktree_refused') return false
  return reason === undefined || error.details.reason === reason
}
