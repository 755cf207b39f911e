import { readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { exists } from './git/find-repository.ts'
import { namesOf, runGit, showName } from './git/git-command.ts'
import { readTree, type Shadow, shadowGit, type TreeEntry } from './git/shadow-repository.ts'
import {
  adminFolderOf,
  isCheckedOut,
  knownCommits,
  notInProject,
  readIndex,
  readWorktreeState,
} from './git/worktree-state.ts'
import { discardHalfMade } from './prepare-worktree.ts'
import { asRefusal, type Refusal } from './refusal.ts'
import { blobIdOf, modeOf, walkFolder } from './walk-folder.ts'
import type { Worktree } from './worktree.ts'
import {
  placesOf,
  readRecord,
  removeRecord,
  shadowOf,
  type WorktreePlaces,
  type WorktreeRecord,
  writeRecord,
} from './worktree-record.ts'
import type { WorktreesContext } from './worktrees-context.ts'

export type CleanUpResult =
  | { readonly ok: true; readonly outcome: 'removed' | 'nothing' }
  /** The folder stays unchanged. */
  | { readonly ok: true; readonly outcome: 'parked'; readonly folder: string; readonly because: string }
  | Refusal

/** Removes a worktree that is merged or unchanged, and parks any other. No commit and no change is ever deleted. */
export async function cleanUp(
  context: WorktreesContext,
  worktree: Pick<Worktree, 'kind' | 'taskId' | 'attempt'>,
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
    // The files were moved aside after all checks had passed, so continue the removal.
    const isGoing = record.state === 'removing' && !(await exists(places.files))
    if (!isGoing) {
      const verdict = await assessWorktree(context, places, record)
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

/** Creates a hidden ref for commits that are only in the worktree's reflog, for example after an amend. */
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

/** Deletes the branch if the project has its commits: the branch may have moved in the meantime. */
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

interface Verdict {
  /** The reason that the worktree has to stay; null when the project has all of its content. */
  readonly because: string | null
  /** Commits that are not part of the result and must stay reachable. */
  readonly leftOver: readonly string[]
}

const stay = (because: string): Verdict => ({ because, leftOver: [] })

/** Decides whether a worktree can be removed without a loss. In case of doubt the worktree stays. */
async function assessWorktree(
  context: WorktreesContext,
  places: WorktreePlaces,
  record: WorktreeRecord,
): Promise<Verdict> {
  const shadow = shadowOf(context, places, record)
  if (!(await exists(places.files))) return stay('Its folder was moved or deleted.')
  if (record.merging) return stay('Its merge was interrupted. Merge it again.')
  const { worktree } = record
  if (worktree.kind === 'copy') {
    if (await exists(join(places.files, '.git'))) return stay('It was turned into a separate repository.')
    const because = await firstDifference(shadow, places.files, record.merged ?? worktree.base)
    return { because, leftOver: [] }
  }
  const state = await readWorktreeState(context.program, places, record)
  if (!state || !record.repository) return stay('Its repository is gone, or no longer lists it.')
  // In a repository `.git` is a folder, and reading it as a file fails.
  const link = await readFile(join(places.files, '.git'), 'utf8').catch(() => '')
  if (link.trim() !== `gitdir: ${state.admin}`) return stay('It was turned into a separate repository.')
  if (state.isLocked) return stay('The worktree is locked.')
  if (state.operation) return stay(`The worktree is in the middle of ${state.operation}.`)
  const { commonDir } = record.repository
  const tips = [state.head, ...(state.tip ? [state.tip] : [])]
  if ((await notInProject(context.program, commonDir, tips)).length > 0) {
    return stay(`It has commits that are on no branch of the project, only on ${worktree.branch}.`)
  }
  if (!(await isIndexOf(shadow, join(state.admin, 'index'), state.head))) return stay('It has staged changes.')
  const because = await firstDifference(shadow, places.files, state.head)
  if (because !== null) return stay(because)
  const known = await knownCommits(context.program, commonDir, state, worktree.branch)
  return { because: null, leftOver: await notInProject(context.program, commonDir, known) }
}

async function isIndexOf(shadow: Shadow, index: string, commit: string): Promise<boolean> {
  const listed = await shadowGit(shadow, ['ls-files', '-s', '-z'], { index, answers: [128] })
  const staged = listed.code === 0 ? await readIndex(listed.stdout) : null
  const tree = await readTree(shadow, commit)
  if (!staged || staged.size !== tree.size) return false
  return [...staged].every(([path, entry]) => isSame(tree.get(path), entry.mode, entry.id))
}

const isSame = (entry: TreeEntry | undefined, mode: string, id: string) => entry?.mode === mode && entry.id === id

/**
 * Returns null when the folder has exactly the files of the tree. Reads every file: an index compares only times and
 * sizes, and can be set to ignore a file.
 */
async function firstDifference(shadow: Shadow, folder: string, tree: string): Promise<string | null> {
  const expected = await readTree(shadow, tree)
  const extra: string[] = []
  for await (const found of walkFolder(folder)) {
    const name = showName(found.path)
    if (found.kind === 'repository') return `${name} is a separate repository.`
    const entry = expected.get(found.path)
    if (!entry) extra.push(found.path)
    else if (found.kind === 'special') return `${name} is changed here but not in the project.`
    else if (!isSame(entry, modeOf(found), await blobIdOf(folder, found, shadow.objectFormat))) {
      return `${name} is changed here but not in the project.`
    }
    expected.delete(found.path)
  }
  const missing = [...expected].find(([, entry]) => entry.mode !== '160000')
  if (missing) return `${showName(missing[0])} is deleted here but not in the project.`
  if (extra.length === 0) return null
  const ignored = await ignoredIn(shadow, folder, tree)
  const change = extra.find((path) => !ignored.has(path))
  if (change !== undefined) return `${showName(change)} is new here and missing in the project.`
  return `It has ignored files, such as ${showName(extra[0]!)}.`
}

async function ignoredIn(shadow: Shadow, folder: string, tree: string): Promise<ReadonlySet<string>> {
  const call = { workTree: folder, index: join(shadow.folder, 'index-ignored') }
  await shadowGit(shadow, ['read-tree', tree], call)
  const { stdout } = await shadowGit(shadow, ['ls-files', '-o', '-i', '--exclude-standard', '-z'], call)
  return new Set(namesOf(stdout))
}
