import { access } from 'node:fs/promises'
import type { BoardTask } from '@clawboo/core/board'
import type { Capabilities } from '@clawboo/core/executor'
import type { StoredExecution } from '../../store/repositories/board/executions-repository.ts'
import type { Workplace } from '../worktrees/workplace.ts'
import type { DispatchParts } from './dispatch-parts.ts'

export type OpenedWorkplace =
  | { readonly ok: true; readonly workplace: AttemptWorkplace | null; readonly checkCommand: string | null }
  | { readonly ok: false; readonly reason: string }

export interface AttemptWorkplace {
  readonly workplace: Exclude<Workplace, { kind: 'none' }>
  /** An attempt before has worked in it. */
  readonly isResumed: boolean
}

/**
 * Where an attempt works. One that follows another of this server goes on in its place, so that what a person commented
 * on is there; `earlier` are the task's attempts before, the first one first.
 */
export async function openWorkplace(
  { store, worktrees, instance }: Pick<DispatchParts, 'store' | 'worktrees' | 'instance'>,
  task: Pick<BoardTask, 'id' | 'teamId' | 'changesFiles'>,
  attempt: number,
  earlier: readonly StoredExecution[],
  claims: Pick<Capabilities, 'worktrees'>,
): Promise<OpenedWorkplace> {
  const team = task.changesFiles ? await store.teams.project(task.teamId) : null
  if (!team || team.folder === null) return { ok: true, workplace: null, checkCommand: null }
  if (!claims.worktrees)
    return { ok: false, reason: 'Its runtime cannot work in a folder it is given. Ask an agent that can.' }
  const request = { taskId: task.id, project: team.folder, ownFolder: team.folder }
  const before = await placeBefore(earlier.filter(({ owner }) => owner === instance))
  const again = before === null ? null : await worktrees.prepareWorkplace({ ...request, attempt: before })
  const isUsable = again?.ok && again.workplace.kind !== 'none' && again.workplace.project === team.folder
  const prepared = again && isUsable ? again : await worktrees.prepareWorkplace({ ...request, attempt })
  if (!prepared.ok) return { ok: false, reason: prepared.message }
  const { workplace } = prepared
  if (workplace.kind === 'none') return { ok: true, workplace: null, checkCommand: null }
  return { ok: true, workplace: { workplace, isResumed: prepared === again }, checkCommand: team.checkCommand }
}

/** The number under which the newest workplace of these attempts was made; null = there is none on this machine. */
async function placeBefore(earlier: readonly StoredExecution[]): Promise<number | null> {
  const path = earlier.findLast(({ worktree }) => worktree !== null)?.worktree?.path
  if (path === undefined) return null
  const isThere = await access(path).then(
    () => true,
    () => false,
  )
  return isThere ? workplaceAttempt(earlier, path) : null
}

/** Attempts that go on in one place share its path; it was made by the first of them. */
export function workplaceAttempt(executions: readonly StoredExecution[], path: string): number | null {
  const sharing = executions.filter(({ worktree }) => worktree?.path === path).map(({ attempt }) => attempt)
  return sharing.length === 0 ? null : Math.min(...sharing)
}
