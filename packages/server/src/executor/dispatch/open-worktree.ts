import { access } from 'node:fs/promises'
import type { BoardTask } from '@clawboo/core/board'
import type { Capabilities } from '@clawboo/core/executor'
import type { StoredAttempt } from '../../store/repositories/board/attempts-repository.ts'
import type { Worktree } from '../worktrees/worktree.ts'
import type { DispatchServices } from './dispatch-services.ts'

export type OpenedWorktree =
  | { readonly ok: true; readonly opened: AttemptWorktree | null; readonly checkCommand: string | null }
  | { readonly ok: false; readonly reason: string }

export interface AttemptWorktree {
  readonly worktree: Exclude<Worktree, { kind: 'none' }>
  /** An earlier attempt has worked in it. */
  readonly isResumed: boolean
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
  return { ok: true, opened: { worktree, isResumed: prepared === resumed }, checkCommand: team.checkCommand }
}

/** The number of the attempt that created the newest worktree; null = this machine has none of the task. */
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
