import { rename, rm } from 'node:fs/promises'
import { assessWorkplace } from './assess-workplace.ts'
import { exists } from './find-repository.ts'
import { runGit } from './git-command.ts'
import { discardHalfMade } from './prepare-workplace.ts'
import { asRefusal, type Refusal, type Workplace } from './workplace.ts'
import {
  placesOf,
  readRecord,
  removeRecord,
  type WorkplacePlaces,
  type WorkplaceRecord,
  writeRecord,
} from './workplace-record.ts'
import { adminFolderOf } from './worktree-admin.ts'
import { isCheckedOut, notInProject } from './worktree-state.ts'
import type { WorktreesContext } from './worktrees.ts'

export interface CleanUpOptions {
  /** Files that a .gitignore names may be deleted. Without it they keep the folder, like every other change. */
  readonly dropIgnored?: boolean
}

export type CleanUpResult =
  | { readonly ok: true; readonly outcome: 'removed' | 'nothing' }
  /** It stays where it is, as it is. */
  | { readonly ok: true; readonly outcome: 'parked'; readonly folder: string; readonly because: string }
  | Refusal

/** Removes what is merged or unchanged and parks the rest. No commit and no change is ever deleted. */
export async function cleanUp(
  context: WorktreesContext,
  workplace: Pick<Workplace, 'kind' | 'taskId' | 'attempt'>,
  options: CleanUpOptions = {},
): Promise<CleanUpResult> {
  return asRefusal(async () => {
    if (workplace.kind === 'none') return { ok: true, outcome: 'nothing' }
    const places = placesOf(context.root, workplace.taskId, workplace.attempt)
    const record = await readRecord(places)
    if (!record) return { ok: true, outcome: 'nothing' }
    if (record.state === 'preparing') {
      await discardHalfMade(context, places, record)
      return { ok: true, outcome: 'removed' }
    }
    // Once its files were moved aside, they were found elsewhere and there is no way back.
    const isGoing = record.state === 'removing' && !(await exists(places.files))
    if (!isGoing) {
      const verdict = await assessWorkplace(context, places, record, options)
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

/** Commits that only a reflog of the worktree knows, as after an amend, get a ref that no list of branches shows. */
async function keepCommits(
  context: WorktreesContext,
  record: WorkplaceRecord,
  commits: readonly string[],
): Promise<void> {
  if (!record.repository) return
  const { taskId, attempt } = record.workplace
  for (const id of commits) {
    context.onStep('keep')
    await runGit(context.program, ['update-ref', `refs/clawboo/kept/${taskId}/${attempt}/${id}`, id], {
      cwd: record.repository.commonDir,
    })
  }
}

async function finishRemoval(
  context: WorktreesContext,
  places: WorkplacePlaces,
  record: WorkplaceRecord,
): Promise<void> {
  const { workplace, repository } = record
  context.onStep('files')
  await rm(places.going, { recursive: true, force: true, maxRetries: 3 })
  if (repository && workplace.kind === 'worktree' && (await exists(repository.commonDir))) {
    const admin = await adminFolderOf(repository.commonDir, places.files)
    context.onStep('admin')
    if (admin) await rm(admin, { recursive: true, force: true })
    context.onStep('branch')
    await dropBranch(context, repository, workplace.branch)
  }
  context.onStep('shadow')
  await rm(places.shadow, { recursive: true, force: true })
  context.onStep('record')
  await removeRecord(places)
}

/** Only while the project holds what is on it: somebody may have moved it in the meantime. */
async function dropBranch(
  context: WorktreesContext,
  repository: NonNullable<WorkplaceRecord['repository']>,
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
