import { mkdir, realpath, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { copyFolder } from './copy-folder.ts'
import { exists, findRepository, type Repository } from './find-repository.ts'
import { lineOf, runGit, showName } from './git-command.ts'
import { createShadow, readTree, type Shadow, shadowGit, takeSnapshot } from './shadow-repository.ts'
import { asRefusal, type Refusal, RefusedError, refuse, type Workplace, type WorktreeWorkplace } from './workplace.ts'
import {
  branchOf,
  placesOf,
  readRecord,
  removeRecord,
  shadowOf,
  type WorkplacePlaces,
  type WorkplaceRecord,
  writeRecord,
} from './workplace-record.ts'
import { adminFolderOf } from './worktree-admin.ts'
import type { WorktreesContext } from './worktrees.ts'

export interface WorkplaceRequest {
  readonly taskId: string
  readonly attempt: number
  /** The team's project folder, absolute; null when it has none. */
  readonly project: string | null
  /** The agent's own workspace, for when there is no project. */
  readonly ownFolder: string
}

export type Prepared = { readonly ok: true; readonly workplace: Workplace; readonly isResumed: boolean } | Refusal

export async function prepareWorkplace(context: WorktreesContext, request: WorkplaceRequest): Promise<Prepared> {
  return asRefusal(async () => {
    const { taskId, attempt, project } = request
    const places = placesOf(context.root, taskId, attempt)
    const record = await readRecord(places)
    if (record && record.state !== 'preparing') return resume(places, record)
    if (project === null) {
      return { ok: true, workplace: { kind: 'none', taskId, attempt, folder: request.ownFolder }, isResumed: false }
    }
    if (!record && (await exists(places.files))) {
      return refuse('workplace_missing', `${places.files} is there but nothing says whose it is. Move it away first.`)
    }
    const repository = await findRepository(context.program, project)
    const folder = await realpath(project)
    const inRoot = relative(await realpath(context.root), folder)
    if (inRoot === '' || !inRoot.startsWith('..')) {
      return refuse('own_folder', `${project} lies among the workplaces of tasks. Pick the project itself.`)
    }
    if (record) await discardHalfMade(context, places, record)
    const made = repository
      ? await makeWorktree(context, places, request, repository)
      : await makeCopy(context, places, request, folder)
    return { ok: true, workplace: made, isResumed: false }
  })
}

async function resume(places: WorkplacePlaces, record: WorkplaceRecord): Promise<Prepared> {
  const { workplace } = record
  if (record.state === 'removing' || !(await exists(places.files))) {
    const left = workplace.kind === 'worktree' ? ` What was committed is on the branch ${workplace.branch}.` : ''
    return refuse('workplace_missing', `The folder ${places.files} is gone.${left} Start another attempt.`)
  }
  if (record.state === 'parked') await writeRecord(places, { ...record, state: 'ready', parkedBecause: null })
  return { ok: true, workplace, isResumed: true }
}

/** Nobody has worked in it, so all of it can be made again. */
export async function discardHalfMade(
  context: WorktreesContext,
  places: WorkplacePlaces,
  record: WorkplaceRecord,
): Promise<void> {
  const { workplace, repository } = record
  if (repository && workplace.kind === 'worktree' && (await exists(repository.commonDir))) {
    const admin = await adminFolderOf(repository.commonDir, places.files)
    if (admin) await rm(admin, { recursive: true, force: true })
    // Only as it was made: a branch that has moved since is somebody's.
    await runGit(context.program, ['update-ref', '-d', `refs/heads/${workplace.branch}`, workplace.base], {
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
  places: WorkplacePlaces,
  request: WorkplaceRequest,
  repository: Repository,
): Promise<Workplace> {
  const { taskId, attempt } = request
  const { head, commonDir, objectFormat } = repository
  const branch = branchOf(taskId, attempt)
  if (head === null) throw new RefusedError(noCommit(request.project!))
  if (repository.operation !== null) throw new RefusedError(underWay(request.project!, repository.operation))
  await wantFreeBranch(context, repository, branch)
  const first: WorkplaceRecord = {
    workplace: {
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
    state: 'preparing',
    parkedBecause: null,
    objectFormat,
    repository: { gitDir: repository.gitDir, commonDir },
    seen: null,
    merging: null,
    merged: null,
  }
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
    workplace: { ...first.workplace, notes: notesOf(repository, submodules, tree) },
  }
  context.onStep('ready')
  await writeRecord(places, ready)
  return ready.workplace
}

async function checkOut(
  context: WorktreesContext,
  places: WorkplacePlaces,
  record: WorkplaceRecord,
  repository: Repository,
  shadow: Shadow,
): Promise<void> {
  const { base, branch } = record.workplace as WorktreeWorkplace
  const call = { cwd: repository.gitDir }
  context.onStep('branch')
  const nothing = '0'.repeat(base.length)
  // By itself, so that adding the worktree can be tried again.
  await runGit(context.program, ['update-ref', '-m', 'Begun for a task', `refs/heads/${branch}`, base, nothing], call)
  context.onStep('worktree')
  // Without a checkout, because that one would run the filters that the repository's configuration names.
  await runGit(context.program, ['worktree', 'add', '-q', '--no-checkout', '--', places.files, branch], call)
  const admin = await adminFolderOf(repository.commonDir, places.files)
  if (!admin) throw new RefusedError(refuse('git_failed', 'git made a worktree that cannot be found again.'))
  await rm(join(admin, 'info', 'sparse-checkout'), { force: true })
  context.onStep('files')
  await shadowGit(shadow, ['read-tree', '-m', '-u', base], { workTree: places.files, index: join(admin, 'index') })
}

function notesOf(repository: Repository, submodules: readonly string[], tree: ReadonlyMap<string, unknown>): string[] {
  const notes: string[] = []
  if (repository.branch === null) {
    notes.push('The project has no branch checked out, so the result has to be merged by hand.')
  }
  if (repository.isSparse) notes.push('The project is a sparse checkout; the worktree has all files.')
  if (submodules.length > 0) notes.push(`Submodules are not checked out: ${submodules.slice(0, 20).join(', ')}.`)
  if ([...tree.keys()].some((path) => path === '.gitattributes' || path.endsWith('/.gitattributes'))) {
    notes.push('Files stand as they are stored in git: filters and line endings of .gitattributes are not applied.')
  }
  return notes
}

async function wantFreeBranch(context: WorktreesContext, repository: Repository, branch: string): Promise<void> {
  // `clawboo` itself as a branch leaves no room for branches below it.
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
  places: WorkplacePlaces,
  request: WorkplaceRequest,
  folder: string,
): Promise<Workplace> {
  const { taskId, attempt } = request
  const first: WorkplaceRecord = {
    workplace: { kind: 'copy', taskId, attempt, folder: places.files, project: request.project!, base: '', notes: [] },
    state: 'preparing',
    parkedBecause: null,
    objectFormat: 'sha1',
    repository: null,
    seen: null,
    merging: null,
    merged: null,
  }
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
    const ready = { ...first, state: 'ready' as const, workplace: { ...first.workplace, base: tree, notes } }
    context.onStep('ready')
    await writeRecord(places, ready)
    return ready.workplace as Workplace
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
  refuse('subfolder_not_committed', `${project} lies in a repository that has none of its files. Commit them first.`)

export const underWay = (project: string, operation: string) =>
  refuse('operation_under_way', `The repository ${project} is in the middle of ${operation}. Finish or abort it first.`)
