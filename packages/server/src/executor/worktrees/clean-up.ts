import { rename, rm } from 'node:fs/promises'
import { assessWorktree } from './assess-worktree.ts'
import { exists } from './git/find-repository.ts'
import { runGit } from './git/git-command.ts'
import { adminFolderOf, isCheckedOut, notInProject } from './git/worktree-state.ts'
import { discardHalfMade } from './prepare-worktree.ts'
import { asRefusal, type Refusal } from './refusal.ts'
import type { Worktree } from './worktree.ts'
import {
  placesOf,
  readRecord,
  removeRecord,
  type WorktreePlaces,
  type WorktreeRecord,
  writeRecord,
} from './worktree-record.ts'
import type { WorktreesContext } from './worktrees-context.ts'

export interface CleanUpOptions {
  /** Also deletes ignored files. Otherwise they keep the folder, as any other change does. */
  readonly dropIgnored?: boolean
}

export type CleanUpResult =
  | { readonly ok: true; readonly outcome: 'removed' | 'nothing' }
  /** The folder stays unchanged. */
  | { readonly ok: true; readonly outcome: 'parked'; readonly folder: string; readonly because: string }
  | Refusal

/** Removes a worktree that is merged or unchanged, and parks any other. No commit and no change is ever deleted. */
export async function cleanUp(
  context: WorktreesContext,
  worktree: Pick<Worktree, 'kind' | 'taskId' | 'attempt'>,
  options: CleanUpOptions = {},
): Promise<CleanUpResult> {
  return asRefusal(async () => {
    if (worktree.kind === 'none') return { ok: true, outcome: 'nothing' }
    const places = placesOf(context.root, worktree.taskId, worktree.attempt)
    const record = await readRecord(places)
    if (!record) return { ok: true, outcome: 'nothing' }
    if (record.state === 'preparing') {
      await discardHalfMade(context, places, record)
      return { ok: true, outcome: 'removed' }
    }
    // Files that were moved aside passed all checks, so the removal goes on.
    const isGoing = record.state === 'removing' && !(await exists(places.files))
    if (!isGoing) {
      const verdict = await assessWorktree(context, places, record, options)
      if (verdict.because !== null) {
        context.onStep('park')
        await writeRecord(places, { ...record, state: 'parked', parkedBecause: verdict.because })
        return { ok: true, outcome: 'parked', folder: places.files, because: verdict.because }
      }
      await keepCommits(context, record, verdict.leftOver)
      context.onStep('removing')
      await writeRecord(places, { ...record, state: 'removing', parkedBecause: null })
      context.onStep('move')
      await rename(places.files, places.going)
    }
    await finishRemoval(context, places, record)
    return { ok: true, outcome: 'removed' }
  })
}

/** Gives a hidden ref to commits that only the worktree's reflog names, as after an amend. */
async function keepCommits(
  context: WorktreesContext,
  record: WorktreeRecord,
  commits: readonly string[],
): Promise<void> {
  if (!record.repository) return
  const { taskId, attempt } = record.worktree
  for (const id of commits) {
    context.onStep('keep')
    await runGit(context.program, ['update-ref', `refs/clawboo/kept/${taskId}/${attempt}/${id}`, id], {
      cwd: record.repository.commonDir,
    })
  }
}

async function finishRemoval(context: WorktreesContext, places: WorktreePlaces, record: WorktreeRecord): Promise<void> {
  const { worktree, repository } = record
  context.onStep('files')
  await rm(places.going, { recursive: true, force: true, maxRetries: 3 })
  if (repository && worktree.kind === 'worktree' && (await exists(repository.commonDir))) {
    const admin = await adminFolderOf(repository.commonDir, places.files)
    context.onStep('admin')
    if (admin) await rm(admin, { recursive: true, force: true })
    context.onStep('branch')
    await dropBranch(context, repository, worktree.branch)
  }
  context.onStep('shadow')
  await rm(places.shadow, { recursive: true, force: true })
  context.onStep('record')
  await removeRecord(places)
}

/** Deletes the branch if the project has its commits: somebody may have moved it in the meantime. */
async function dropBranch(
  context: WorktreesContext,
  repository: NonNullable<WorktreeRecord['repository']>,
  branch: string,
): Promise<void> {
  const ref = `refs/heads/${branch}`
  const at = { cwd: repository.commonDir, answers: [1, 128] }
  const git = [`--git-dir=${repository.commonDir}`]
  const found = await runGit(context.program, [...git, 'rev-parse', '--verify', '--quiet', ref], at)
  if (found.code !== 0) return
  const tip = found.stdout.toString('latin1').trim()
  if (await isCheckedOut(repository.commonDir, branch)) return
  if ((await notInProject(context.program, repository.commonDir, [tip])).length > 0) return
  await runGit(context.program, [...git, 'update-ref', '-d', ref, tip], at)
}
