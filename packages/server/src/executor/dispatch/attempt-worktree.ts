import { access } from 'node:fs/promises'
import { ClawbooError } from '@clawboo/core'
import type { BoardTask } from '@clawboo/core/board'
import type { Capabilities, FolderRead } from '@clawboo/core/executor'
import type { StoredAttempt } from '../../store/repositories/board/attempts-repository.ts'
import { storableText } from '../../store/storable-text.ts'
import type { Check } from '../worktrees/run-check.ts'
import type { Worktree } from '../worktrees/worktree.ts'
import type { DispatchServices } from './dispatch-services.ts'

export type OpenedWorktree =
  | { readonly ok: true; readonly opened: AttemptWorktree | null; readonly checkCommand: string | null }
  | { readonly ok: false; readonly reason: string }

export interface AttemptWorktree {
  readonly worktree: Exclude<Worktree, { kind: 'none' }>
  /** Whether an earlier attempt has worked in the worktree. */
  readonly isResumed: boolean
  /** Files and folders elsewhere that confined programs in the worktree must read. */
  readonly reads: readonly FolderRead[]
}

/**
 * Opens the folder that an attempt works in. It continues in the worktree of this server's earlier attempt, which has
 * the files that a person commented on. `earlier` are the task's earlier attempts, oldest first.
 */
export async function openWorktree(
  { store, worktrees, instance }: Pick<DispatchServices, 'store' | 'worktrees' | 'instance'>,
  task: Pick<BoardTask, 'id' | 'teamId' | 'changesFiles'>,
  attempt: number,
  earlier: readonly StoredAttempt[],
  claims: Pick<Capabilities, 'worktrees'>,
): Promise<OpenedWorktree> {
  const team = task.changesFiles ? await store.teams.project(task.teamId) : null
  if (!team || team.folder === null) return { ok: true, opened: null, checkCommand: null }
  if (!claims.worktrees)
    return { ok: false, reason: 'The runtime cannot work in a given folder. Assign the task to another agent.' }
  const request = { taskId: task.id, project: team.folder, ownFolder: team.folder }
  const earlierAttempt = await attemptWithWorktree(earlier.filter(({ owner }) => owner === instance))
  const resumed =
    earlierAttempt === null ? null : await worktrees.prepareWorktree({ ...request, attempt: earlierAttempt })
  const isUsable = resumed?.ok && resumed.worktree.kind !== 'none' && resumed.worktree.project === team.folder
  const prepared = resumed && isUsable ? resumed : await worktrees.prepareWorktree({ ...request, attempt })
  if (!prepared.ok) return { ok: false, reason: prepared.message }
  const { worktree } = prepared
  if (worktree.kind === 'none') return { ok: true, opened: null, checkCommand: null }
  const reads = await worktrees.readsOf(worktree)
  return { ok: true, opened: { worktree, isResumed: prepared === resumed, reads }, checkCommand: team.checkCommand }
}

/** The number of the attempt that created the newest worktree; null = this machine has no worktree of the task. */
async function attemptWithWorktree(earlier: readonly StoredAttempt[]): Promise<number | null> {
  const path = earlier.findLast(({ worktree }) => worktree !== null)?.worktree?.path
  if (path === undefined) return null
  const exists = await access(path).then(
    () => true,
    () => false,
  )
  return exists ? creatorOf(earlier, path) : null
}

/** The first of the attempts that share a worktree; it created the worktree. */
export function creatorOf(attempts: readonly StoredAttempt[], path: string): number | null {
  const sharing = attempts.filter(({ worktree }) => worktree?.path === path).map(({ number }) => number)
  return sharing.length === 0 ? null : Math.min(...sharing)
}

interface AttemptWork {
  readonly taskId: string
  readonly attemptId: string
  readonly worktree: Worktree
  /** False: stores only the time of the last change, and no evidence. */
  readonly isJudged: boolean
  /** null = the team has no check. */
  readonly checkCommand: string | null
  readonly signal: AbortSignal
}

const HOST = { kind: 'host' } as const
const OUTPUT_CHARACTERS = 8_000

/**
 * Stores what the host observes about the work of an attempt: that it changed, its diff, and the exit code of the
 * team's check. If the work cannot be read, nothing is stored and a person reviews it. Evidence of an attempt that a
 * newer one has replaced is left out.
 */
export async function gatherEvidence(
  { worktrees, tasks, log }: Pick<DispatchServices, 'worktrees' | 'tasks' | 'log'>,
  { taskId, attemptId, worktree, isJudged, checkCommand, signal }: AttemptWork,
): Promise<void> {
  const recordDiff = async () => {
    const result = await worktrees.diffOf(worktree)
    if (!result.ok)
      return void log.warn('the work of a task could not be compared', { taskId, message: result.message })
    const { fileCount, changedAt, sha256 } = result.diff
    if (fileCount === 0) return
    if (changedAt !== null) await tasks.noteChange(taskId, changedAt)
    if (isJudged) await tasks.addEvidence(taskId, { kind: 'diff', sha256 }, attemptId)
  }
  try {
    await recordDiff()
    if (!isJudged || checkCommand === null || signal.aborted) return
    const result = await worktrees.runCheck(worktree, checkCommand, { signal })
    if (!result.ok) return void (await tasks.comment(taskId, { body: result.message }, HOST))
    const { check } = result
    // The server aborted the check, which proves nothing about the work.
    if (check.end === 'aborted') return
    const { command, exitCode, startedAt: at } = check
    await tasks.addEvidence(taskId, { kind: 'check', command, exitCode, at }, attemptId)
    if (exitCode !== 0) await tasks.comment(taskId, { body: failureText(check) }, HOST)
    if (check.sha256After !== check.sha256Before) await recordDiff()
  } catch (error) {
    if (!(error instanceof ClawbooError && error.code === 'evidence_refused')) throw error
    log.info('a newer attempt started before the evidence was stored', { taskId, attemptId })
  }
}

/** The comment on a failed check, for the reviewer and for the agent's next attempt. */
function failureText({ exitCode, end, output }: Check): string {
  const result = exitCode === null ? `did not finish (${end})` : `exited with ${exitCode}`
  const tail = output.length > OUTPUT_CHARACTERS ? `…${output.slice(-OUTPUT_CHARACTERS).toWellFormed()}` : output
  return storableText(`The check ${result}.\n\n${tail}`.trim(), OUTPUT_CHARACTERS + 200)
}
