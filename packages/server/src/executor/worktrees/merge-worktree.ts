import { join } from 'node:path'
import { nestedRefusal } from './apply-copy.ts'
import { changedEntries, snapshotOf } from './diff-of.ts'
import { findRepository, type Repository } from './git/find-repository.ts'
import { lineOf, namesOf, runGit, showName } from './git/git-command.ts'
import { type Shadow, shadowGit } from './git/shadow-repository.ts'
import { readWorktreeState, type WorktreeState } from './git/worktree-state.ts'
import { underWay } from './prepare-worktree.ts'
import { findForeign, findInTheWay, findUnclean, wantPlainIndex } from './project-tree.ts'
import { RefusedError, refuse } from './refusal.ts'
import type { GitWorktree, MergeOptions, MergeResult } from './worktree.ts'
import { type WorktreePlaces, type WorktreeRecord, writeRecord } from './worktree-record.ts'
import type { WorktreesContext } from './worktrees-context.ts'

export interface WorktreeToMerge {
  readonly context: WorktreesContext
  readonly places: WorktreePlaces
  readonly record: WorktreeRecord
  readonly repository: NonNullable<WorktreeRecord['repository']>
  readonly shadow: Shadow
  readonly options: MergeOptions
}

export async function mergeWorktree(work: WorktreeToMerge): Promise<MergeResult> {
  const { context, places, record, shadow } = work
  const worktree = record.worktree as GitWorktree
  const project = await wantProject(work, worktree)
  if (record.merging) return finishMerge(work, project, record.merging, true)
  const state = await wantSettled(work, worktree)
  await wantPlainIndex(project, worktree.branch)
  const unclean = await findUnclean(shadow, project)
  if (unclean.length > 0) return notClean(worktree.project, unclean)
  const snapshot = await snapshotOf(context, places, record, shadow, true)
  if (snapshot.repositories.length > 0) return nestedRefusal(snapshot.repositories)
  await wantUnfiltered(work, state, snapshot.tree)
  const tip = await commitRest(work, state, snapshot.tree)
  const head = project.head!
  if (await isAncestor(shadow, tip, head)) {
    await moveBranch(work, worktree, state, tip)
    await writeRecord(places, { ...record, merged: tip })
    return { ok: true, how: 'nothing', commit: head, files: [] }
  }
  const to = (await isAncestor(shadow, head, tip)) ? tip : await joinCommits(work, worktree, head, tip)
  const inTheWay = await findInTheWay(shadow, project, await changedEntries(shadow, head, to))
  if (inTheWay.length > 0) {
    return refuse(
      'files_in_the_way',
      `The merge would overwrite files that ${worktree.project} does not track: ${inTheWay.slice(0, 5).join(', ')}. Nothing was merged. Move them, then merge again.`,
      inTheWay,
    )
  }
  // Fails when the project lacks an object of the new commit.
  const parts = ['rev-list', '--objects', '--quiet', to, '--not', head]
  await runGit(context.program, parts, { cwd: project.gitDir })
  await moveBranch(work, worktree, state, tip)
  const merging = { from: head, to, tip }
  context.onStep('journal')
  await writeRecord(places, { ...record, merging })
  return finishMerge({ ...work, record: { ...record, merging } }, project, merging, false)
}

async function wantProject({ context }: WorktreeToMerge, worktree: GitWorktree): Promise<Repository> {
  const { project, branch, startedFrom } = worktree
  const repository = await findRepository(context.program, project)
  if (!repository) throw new RefusedError(refuse('project_missing', `${project} is no longer a repository.`))
  if (repository.operation) throw new RefusedError(underWay(project, repository.operation))
  if (startedFrom === null) {
    const why = `${project} had no branch checked out when the task started`
    throw new RefusedError(refuse('other_branch', `${why}. Check out a branch and run: git merge ${branch}`))
  }
  if (repository.branch !== startedFrom) {
    const now = repository.branch === null ? 'no branch' : `the branch ${repository.branch}`
    throw new RefusedError(
      refuse(
        'other_branch',
        `The task started on ${startedFrom}, but ${project} has ${now} checked out. Check out ${startedFrom}, then merge again.`,
      ),
    )
  }
  if (repository.head === null) throw new RefusedError(refuse('no_commit', `${startedFrom} has no commits.`))
  return repository
}

async function wantSettled(work: WorktreeToMerge, worktree: GitWorktree): Promise<WorktreeState> {
  const state = await readWorktreeState(work.context.program, work.places, work.record)
  const no = (why: string) => new RefusedError(refuse('worktree_unsettled', why))
  if (!state) throw no(`The repository no longer lists the worktree ${work.places.files}.`)
  if (state.operation) throw no(`The worktree is in the middle of ${state.operation}. Ask the agent to finish it.`)
  if (state.headRef !== `refs/heads/${worktree.branch}`) {
    throw no(`The worktree is not on its branch ${worktree.branch}. Ask the agent to check it out.`)
  }
  return state
}

const notClean = (project: string, files: readonly string[]) =>
  refuse(
    'project_changed',
    `${project} has uncommitted changes: ${files.slice(0, 5).join(', ')}. Commit or stash them, then merge again.`,
    files,
  )

const identity = ({ author }: MergeOptions) => {
  // Git separates name and email by brackets and line ends.
  const name = author.name.replace(/[<>\p{Cc}]/gu, '').trim() || 'Clawboo'
  const email = author.email.replace(/[<>\s\p{Cc}]/gu, '') || 'clawboo@localhost'
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  }
}

const commitTree = async (work: WorktreeToMerge, tree: string, parents: readonly string[]): Promise<string> =>
  lineOf(
    await shadowGit(work.shadow, ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent])], {
      input: `${work.options.message.replaceAll('\0', '')}\n`,
      env: identity(work.options),
      intoProject: true,
    }),
  )

/** Refuses uncommitted files that a filter should convert: no filter runs here. Attributes are only read. */
async function wantUnfiltered(work: WorktreeToMerge, state: WorktreeState, tree: string): Promise<void> {
  const { context, places, shadow } = work
  const changes = await changedEntries(shadow, state.head, tree)
  const paths = changes.filter(({ newMode }) => newMode.startsWith('100')).map(({ path }) => `${path}\0`)
  if (paths.length === 0) return
  const args = [`--git-dir=${state.admin}`, `--work-tree=${places.files}`, 'check-attr', '-z', '--stdin', 'filter']
  const input = Buffer.from(paths.join(''), 'latin1')
  const parts = namesOf((await runGit(context.program, args, { cwd: places.files, input })).stdout)
  const filtered = parts
    .filter((_, at) => at % 3 === 0 && !/^(unspecified|unset|set|)$/.test(parts[at + 2]!))
    .map(showName)
  if (filtered.length === 0) return
  const why = `${filtered[0]} is not committed, and a filter in .gitattributes applies to it, which Clawboo does not run`
  throw new RefusedError(refuse('merge_by_hand', `${why}. Commit it in ${places.files}, then merge again.`, filtered))
}

/** Commits the uncommitted changes of the task. No ref points to the commit yet. */
async function commitRest(work: WorktreeToMerge, state: WorktreeState, tree: string): Promise<string> {
  return (await treesOf(work.shadow, [state.head])).includes(tree) ? state.head : commitTree(work, tree, [state.head])
}

/** Moves the worktree's branch and index to `tip`. Creates a ref for a staged tree that neither commit contains. */
async function moveBranch(
  work: WorktreeToMerge,
  worktree: GitWorktree,
  state: WorktreeState,
  tip: string,
): Promise<void> {
  const { context, shadow, repository } = work
  const index = join(state.admin, 'index')
  const staged = await shadowGit(shadow, ['write-tree'], { index, intoProject: true, answers: [128] })
  if (staged.code !== 0) throw new RefusedError(refuse('worktree_unsettled', 'The worktree has unresolved conflicts.'))
  const ref = (name: string, ...rest: string[]) =>
    runGit(context.program, ['update-ref', name, ...rest], { cwd: repository.commonDir })
  const [before, after] = await treesOf(shadow, [state.head, tip])
  if (lineOf(staged) !== before && lineOf(staged) !== after) {
    const kept = await commitTree(work, lineOf(staged), [state.head])
    context.onStep('staged')
    await ref(`refs/clawboo/kept/${worktree.taskId}/${worktree.attempt}/${kept}`, kept)
  }
  context.onStep('branch')
  if (tip !== state.head) await ref(`refs/heads/${worktree.branch}`, tip, state.head)
  context.onStep('index')
  if (lineOf(staged) !== after) await shadowGit(shadow, ['read-tree', tip], { index })
}

const treesOf = async (shadow: Shadow, commits: readonly string[]): Promise<string[]> =>
  lineOf(await shadowGit(shadow, ['rev-parse', ...commits.map((commit) => `${commit}^{tree}`)])).split('\n')

async function isAncestor(shadow: Shadow, older: string, newer: string): Promise<boolean> {
  return (await shadowGit(shadow, ['merge-base', '--is-ancestor', older, newer], { answers: [1] })).code === 0
}

async function joinCommits(
  work: WorktreeToMerge,
  worktree: GitWorktree,
  ours: string,
  theirs: string,
): Promise<string> {
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ours, theirs]
  const output = await shadowGit(work.shadow, args, { intoProject: true, answers: [1] })
  const [tree, ...files] = namesOf(output.stdout)
  if (output.code === 0) return commitTree(work, tree!, [ours, theirs])
  const shown = files.map(showName)
  throw new RefusedError(
    refuse(
      'conflicts',
      `The task and ${worktree.startedFrom} changed the same lines: ${shown.slice(0, 5).join(', ')}. Nothing was merged. Ask the agent to merge ${worktree.startedFrom} first, or run: git merge ${worktree.branch}`,
      shown,
    ),
  )
}

/** Changes the project: first its files and index, then its branch. */
async function finishMerge(
  { context, places, record, shadow }: WorktreeToMerge,
  project: Repository,
  merging: NonNullable<WorktreeRecord['merging']>,
  isAgain: boolean,
): Promise<MergeResult> {
  const { from, to, tip } = merging
  const worktree = record.worktree as GitWorktree
  const changes = await changedEntries(shadow, from, to)
  const index = join(project.gitDir, 'index')
  const call = { index, workTree: project.top }
  const forget = () => writeRecord(places, { ...record, merging: null })
  if (project.head !== to) {
    if (project.head !== from) {
      await forget()
      return refuse('project_changed', `${worktree.startedFrom} has changed since the merge started. Merge again.`)
    }
    await wantPlainIndex(project, worktree.branch)
    const changed = await findUnclean(shadow, project, changes)
    const foreign = isAgain ? [...changed, ...(await findForeign(shadow, project, changes))] : changed
    if (foreign.length > 0) {
      await forget()
      return notClean(worktree.project, [...new Set(foreign)])
    }
    context.onStep('files')
    const protect = ['-c', 'core.protectNTFS=true', '-c', 'core.protectHFS=true']
    await shadowGit(shadow, ['update-index', '-q', '--refresh'], { ...call, answers: [1] })
    const how = isAgain ? ['--reset', '-u', to] : ['-m', '-u', from, to]
    await shadowGit(shadow, [...protect, 'read-tree', ...how], call)
    context.onStep('head')
    const ref = `refs/heads/${worktree.startedFrom}`
    await runGit(context.program, ['update-ref', '-m', `merge ${worktree.branch}`, ref, to, from], {
      cwd: project.gitDir,
    })
  }
  context.onStep('done')
  await writeRecord(places, { ...record, merging: null, merged: tip })
  const files = changes.map(({ path }) => showName(path))
  return { ok: true, how: to === tip ? 'fast-forward' : 'merge-commit', commit: to, files }
}
