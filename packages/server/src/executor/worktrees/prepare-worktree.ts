import { mkdir, realpath, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { copyFolder } from './copy-folder.ts'
import { exists, findRepository, type Repository } from './git/find-repository.ts'
import { lineOf, runGit, showName } from './git/git-command.ts'
import { createShadow, readTree, type Shadow, shadowGit, takeSnapshot } from './git/shadow-repository.ts'
import { adminFolderOf } from './git/worktree-state.ts'
import { asRefusal, type Refusal, RefusedError, refuse } from './refusal.ts'
import type { GitWorktree, Worktree } from './worktree.ts'
import {
  branchOf,
  newRecord,
  placesOf,
  readRecord,
  removeRecord,
  shadowOf,
  type WorktreePlaces,
  type WorktreeRecord,
  writeRecord,
} from './worktree-record.ts'
import type { WorktreesContext } from './worktrees-context.ts'

export interface WorktreeRequest {
  readonly taskId: string
  readonly attempt: number
  /** The absolute path of the team's project folder; null when the team has none. */
  readonly project: string | null
  /** The agent's workspace, which is used when there is no project. */
  readonly ownFolder: string
}

export type Prepared = { readonly ok: true; readonly worktree: Worktree; readonly isResumed: boolean } | Refusal

export async function prepareWorktree(context: WorktreesContext, request: WorktreeRequest): Promise<Prepared> {
  return asRefusal(async () => {
    const { taskId, attempt, project } = request
    const places = placesOf(context.root, taskId, attempt)
    const record = await readRecord(places)
    if (record && record.state !== 'preparing') return resume(places, record)
    if (project === null) {
      return { ok: true, worktree: { kind: 'none', taskId, attempt, folder: request.ownFolder }, isResumed: false }
    }
    if (!record && (await exists(places.files))) {
      return refuse('worktree_missing', `${places.files} already exists and has no record. Move it away first.`)
    }
    const repository = await findRepository(context.program, project)
    const folder = await realpath(project)
    const inRoot = relative(await realpath(context.root), folder)
    if (inRoot === '' || !inRoot.startsWith('..')) {
      return refuse('own_folder', `${project} is inside the folder for worktrees. Pick the project itself.`)
    }
    if (record) await discardHalfMade(context, places, record)
    const made = repository
      ? await makeWorktree(context, places, request, repository)
      : await makeCopy(context, places, request, folder)
    return { ok: true, worktree: made, isResumed: false }
  })
}

async function resume(places: WorktreePlaces, record: WorktreeRecord): Promise<Prepared> {
  const { worktree } = record
  if (record.state === 'removing' || !(await exists(places.files))) {
    const left = worktree.kind === 'worktree' ? ` Its commits are on the branch ${worktree.branch}.` : ''
    return refuse('worktree_missing', `The folder ${places.files} is gone.${left} Start another attempt.`)
  }
  if (record.state === 'parked') await writeRecord(places, { ...record, state: 'ready', parkedBecause: null })
  return { ok: true, worktree, isResumed: true }
}

/** Removes a worktree whose preparation was interrupted, before any agent has worked in it. */
export async function discardHalfMade(
  context: WorktreesContext,
  places: WorktreePlaces,
  record: WorktreeRecord,
): Promise<void> {
  const { worktree, repository } = record
  if (repository && worktree.kind === 'worktree' && (await exists(repository.commonDir))) {
    const admin = await adminFolderOf(repository.commonDir, places.files)
    if (admin) await rm(admin, { recursive: true, force: true })
    // Deletes the branch only at its first commit: it may have moved since.
    await runGit(context.program, ['update-ref', '-d', `refs/heads/${worktree.branch}`, worktree.base], {
      cwd: repository.commonDir,
      answers: [1, 128],
    })
  }
  await rm(places.files, { recursive: true, force: true })
  await rm(places.shadow, { recursive: true, force: true })
  await removeRecord(places)
}

async function makeWorktree(
  context: WorktreesContext,
  places: WorktreePlaces,
  request: WorktreeRequest,
  repository: Repository,
): Promise<Worktree> {
  const { taskId, attempt } = request
  const { head, commonDir, objectFormat } = repository
  const branch = branchOf(taskId, attempt)
  if (head === null) throw new RefusedError(noCommit(request.project!))
  if (repository.operation !== null) throw new RefusedError(underWay(request.project!, repository.operation))
  await wantFreeBranch(context, repository, branch)
  const first = newRecord(
    {
      kind: 'worktree',
      taskId,
      attempt,
      folder: join(places.files, repository.inside),
      project: request.project!,
      branch,
      base: head,
      startedFrom: repository.branch,
      notes: [],
    },
    objectFormat,
    { gitDir: repository.gitDir, commonDir },
  )
  const shadow = shadowOf(context, places, first)
  await mkdir(places.folder, { recursive: true, mode: 0o700 })
  await createShadow(shadow)
  const tree = await readTree(shadow, head)
  if (repository.inside !== '' && !isInTree(tree, repository.inside)) {
    await rm(places.shadow, { recursive: true, force: true })
    await removeRecord(places)
    throw new RefusedError(notCommitted(request.project!))
  }
  context.onStep('record')
  await writeRecord(places, first)
  try {
    await checkOut(context, places, first, repository, shadow)
  } catch (error) {
    if (error instanceof RefusedError) await discardHalfMade(context, places, first)
    throw error
  }
  const submodules = [...tree].filter(([, entry]) => entry.mode === '160000').map(([path]) => showName(path))
  const ready = {
    ...first,
    state: 'ready' as const,
    worktree: { ...first.worktree, notes: notesOf(repository, submodules, tree) },
  }
  context.onStep('ready')
  await writeRecord(places, ready)
  return ready.worktree
}

async function checkOut(
  context: WorktreesContext,
  places: WorktreePlaces,
  record: WorktreeRecord,
  repository: Repository,
  shadow: Shadow,
): Promise<void> {
  const { base, branch } = record.worktree as GitWorktree
  const call = { cwd: repository.gitDir }
  context.onStep('branch')
  const nothing = '0'.repeat(base.length)
  // A separate step, so that adding the worktree can be repeated.
  await runGit(context.program, ['update-ref', '-m', 'Started for a task', `refs/heads/${branch}`, base, nothing], call)
  context.onStep('worktree')
  // No checkout here: it would run the filters in the repository's configuration.
  await runGit(context.program, ['worktree', 'add', '-q', '--no-checkout', '--', places.files, branch], call)
  const admin = await adminFolderOf(repository.commonDir, places.files)
  if (!admin) throw new RefusedError(refuse('git_failed', 'git added a worktree that cannot be found.'))
  await rm(join(admin, 'info', 'sparse-checkout'), { force: true })
  context.onStep('files')
  await shadowGit(shadow, ['read-tree', '-m', '-u', base], { workTree: places.files, index: join(admin, 'index') })
}

function notesOf(repository: Repository, submodules: readonly string[], tree: ReadonlyMap<string, unknown>): string[] {
  const notes: string[] = []
  if (repository.branch === null) {
    notes.push('The project has no branch checked out, so you merge the result by hand.')
  }
  if (repository.isSparse) notes.push('The project is a sparse checkout; the worktree has all files.')
  if (submodules.length > 0) notes.push(`Submodules are not checked out: ${submodules.slice(0, 20).join(', ')}.`)
  if ([...tree.keys()].some((path) => path === '.gitattributes' || path.endsWith('/.gitattributes'))) {
    notes.push('Files are exactly as git stores them: filters and line endings of .gitattributes are not applied.')
  }
  return notes
}

async function wantFreeBranch(context: WorktreesContext, repository: Repository, branch: string): Promise<void> {
  // A branch named `clawboo` makes branches below that name impossible.
  const refs = ['refs/heads/clawboo', `refs/heads/${branch.slice(0, branch.lastIndexOf('/'))}`, `refs/heads/${branch}`]
  const output = await runGit(context.program, ['for-each-ref', '--format=%(refname)', '--', ...refs], {
    cwd: repository.gitDir,
  })
  const taken = lineOf(output)
    .split('\n')
    .find((ref) => refs.includes(ref) || ref.startsWith(`refs/heads/${branch}/`))
  if (!taken) return
  const name = taken.replace('refs/heads/', '')
  throw new RefusedError(refuse('branch_taken', `The project already has a branch ${name}. Rename or remove it.`))
}

async function makeCopy(
  context: WorktreesContext,
  places: WorktreePlaces,
  request: WorktreeRequest,
  folder: string,
): Promise<Worktree> {
  const { taskId, attempt } = request
  const first = newRecord(
    { kind: 'copy', taskId, attempt, folder: places.files, project: request.project!, base: '', notes: [] },
    'sha1',
    null,
  )
  context.onStep('record')
  await writeRecord(places, first)
  try {
    const shadow = shadowOf(context, places, first)
    await createShadow(shadow)
    context.onStep('files')
    const notes = await copyFolder(folder, places.files, context.limits)
    const empty = lineOf(await shadowGit(shadow, ['mktree']))
    const { fileBytes: mostFileBytes } = context.limits
    const { tree } = await takeSnapshot(shadow, { workTree: places.files, from: empty, mostFileBytes, isWhole: true })
    const ready = { ...first, state: 'ready' as const, worktree: { ...first.worktree, base: tree, notes } }
    context.onStep('ready')
    await writeRecord(places, ready)
    return ready.worktree as Worktree
  } catch (error) {
    if (error instanceof RefusedError) await discardHalfMade(context, places, first)
    throw error
  }
}

function isInTree(tree: ReadonlyMap<string, unknown>, inside: string): boolean {
  const raw = `${Buffer.from(inside).toString('latin1')}/`
  return [...tree.keys()].some((path) => path.startsWith(raw))
}

const noCommit = (project: string) =>
  refuse('no_commit', `The repository ${project} has no commit yet. Make a first commit, then try again.`)

const notCommitted = (project: string) =>
  refuse('subfolder_not_committed', `${project} is part of a repository that has none of its files. Commit them first.`)

export const underWay = (project: string, operation: string) =>
  refuse('operation_under_way', `The repository ${project} is in the middle of ${operation}. Finish or abort it first.`)
