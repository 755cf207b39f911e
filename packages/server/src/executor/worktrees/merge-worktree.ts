import { join } from 'node:path'
import { nestedRefusal } from './apply-copy.ts'
import { changedEntries, snapshotOf } from './diff-of.ts'
import { findRepository, type Repository } from './find-repository.ts'
import { lineOf, namesOf, runGit, showName } from './git-command.ts'
import type { MergeOptions, MergeResult } from './merge.ts'
import { underWay } from './prepare-workplace.ts'
import { findWhatIsForeign, findWhatIsInTheWay, findWhatIsUnclean, wantPlainIndex } from './project-tree.ts'
import { type Shadow, shadowGit } from './shadow-repository.ts'
import { RefusedError, refuse, type WorktreeWorkplace } from './workplace.ts'
import { type WorkplacePlaces, type WorkplaceRecord, writeRecord } from './workplace-record.ts'
import { readWorktreeState, type WorktreeState } from './worktree-state.ts'
import type { WorktreesContext } from './worktrees.ts'

export interface WorktreeToMerge {
  readonly context: WorktreesContext
  readonly places: WorkplacePlaces
  readonly record: WorkplaceRecord
  readonly repository: NonNullable<WorkplaceRecord['repository']>
  readonly shadow: Shadow
  readonly options: MergeOptions
}

export async function mergeWorktree(work: WorktreeToMerge): Promise<MergeResult> {
  const { context, places, record, shadow } = work
  const workplace = record.workplace as WorktreeWorkplace
  const project = await wantProject(work, workplace)
  if (record.merging) return finishMerge(work, project, record.merging, true)
  const state = await wantSettled(work, workplace)
  await wantPlainIndex(project, workplace.branch)
  const unclean = await findWhatIsUnclean(shadow, project)
  if (unclean.length > 0) return notClean(workplace.project, unclean)
  const snapshot = await snapshotOf(context, places, record, shadow, true)
  if (snapshot.repositories.length > 0) return nestedRefusal(snapshot.repositories)
  await wantUnfiltered(work, state, snapshot.tree)
  const tip = await commitRest(work, state, snapshot.tree)
  const head = project.head!
  if (await isAncestor(shadow, tip, head)) {
    await moveBranch(work, workplace, state, tip)
    await writeRecord(places, { ...record, merged: tip })
    return { ok: true, how: 'nothing', commit: head, files: [] }
  }
  const to = (await isAncestor(shadow, head, tip)) ? tip : await joinCommits(work, workplace, head, tip)
  const inTheWay = await findWhatIsInTheWay(shadow, project, await changedEntries(shadow, head, to))
  if (inTheWay.length > 0) {
    return refuse(
      'files_in_the_way',
      `The merge would overwrite files that ${workplace.project} does not track: ${inTheWay.slice(0, 5).join(', ')}. Move them, then merge again. Nothing was changed.`,
      inTheWay,
    )
  }
  // Nothing is moved to a commit of which the project lacks a part.
  const parts = ['rev-list', '--objects', '--quiet', to, '--not', head]
  await runGit(context.program, parts, { cwd: project.gitDir })
  await moveBranch(work, workplace, state, tip)
  const merging = { from: head, to, tip }
  context.onStep('journal')
  await writeRecord(places, { ...record, merging })
  return finishMerge({ ...work, record: { ...record, merging } }, project, merging, false)
}

async function wantProject({ context }: WorktreeToMerge, workplace: WorktreeWorkplace): Promise<Repository> {
  const { project, branch, startedFrom } = workplace
  const repository = await findRepository(context.program, project)
  if (!repository) throw new RefusedError(refuse('project_missing', `${project} is no repository any more.`))
  if (repository.operation) throw new RefusedError(underWay(project, repository.operation))
  if (startedFrom === null) {
    const why = `${project} had no branch checked out when the task began`
    throw new RefusedError(refuse('other_branch', `${why}. Check out a branch and run: git merge ${branch}`))
  }
  if (repository.branch !== startedFrom) {
    const now = repository.branch === null ? 'no branch' : `the branch ${repository.branch}`
    throw new RefusedError(
      refuse(
        'other_branch',
        `The task began on ${startedFrom}, and ${project} has ${now} checked out. Check out ${startedFrom}, then merge again.`,
      ),
    )
  }
  if (repository.head === null) throw new RefusedError(refuse('no_commit', `${startedFrom} has no commit any more.`))
  return repository
}

async function wantSettled(work: WorktreeToMerge, workplace: WorktreeWorkplace): Promise<WorktreeState> {
  const state = await readWorktreeState(work.context.program, work.places, work.record)
  const no = (why: string) => new RefusedError(refuse('workplace_unsettled', why))
  if (!state) throw no(`The repository does not know the worktree ${work.places.files} any more.`)
  if (state.operation) throw no(`The worktree is in the middle of ${state.operation}. Ask the agent to finish it.`)
  if (state.headRef !== `refs/heads/${workplace.branch}`) {
    throw no(`The worktree has left its branch ${workplace.branch}. Ask the agent to go back to it.`)
  }
  return state
}

const notClean = (project: string, files: readonly string[]) =>
  refuse(
    'project_changed',
    `${project} has changes that are not committed: ${files.slice(0, 5).join(', ')}. Commit or stash them, then merge again.`,
    files,
  )

const identity = ({ author }: MergeOptions) => {
  // Git takes these apart by brackets and line ends.
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

/** A commit made here would hold what a filter should have changed. Attributes are only read, no filter runs. */
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
  const why = `${filtered[0]} is not committed, and a filter in .gitattributes has a say in it, which is not run here`
  throw new RefusedError(refuse('merge_by_hand', `${why}. Commit it in ${places.files}, then merge again.`, filtered))
}

/** What the task left uncommitted becomes a commit; no ref points to it yet. */
async function commitRest(work: WorktreeToMerge, state: WorktreeState, tree: string): Promise<string> {
  return (await treesOf(work.shadow, [state.head])).includes(tree) ? state.head : commitTree(work, tree, [state.head])
}

/** The workplace's own branch and index follow. What was staged and is in neither keeps a ref. */
async function moveBranch(
  work: WorktreeToMerge,
  workplace: WorktreeWorkplace,
  state: WorktreeState,
  tip: string,
): Promise<void> {
  const { context, shadow, repository } = work
  const index = join(state.admin, 'index')
  const staged = await shadowGit(shadow, ['write-tree'], { index, intoProject: true, answers: [128] })
  if (staged.code !== 0) throw new RefusedError(refuse('workplace_unsettled', 'The worktree has unresolved conflicts.'))
  const ref = (name: string, ...rest: string[]) =>
    runGit(context.program, ['update-ref', name, ...rest], { cwd: repository.commonDir })
  const [before, after] = await treesOf(shadow, [state.head, tip])
  if (lineOf(staged) !== before && lineOf(staged) !== after) {
    const kept = await commitTree(work, lineOf(staged), [state.head])
    context.onStep('staged')
    await ref(`refs/clawboo/kept/${workplace.taskId}/${workplace.attempt}/${kept}`, kept)
  }
  context.onStep('branch')
  if (tip !== state.head) await ref(`refs/heads/${workplace.branch}`, tip, state.head)
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
  workplace: WorktreeWorkplace,
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
      `The task and ${workplace.startedFrom} changed the same places: ${shown.slice(0, 5).join(', ')}. Nothing was changed. Ask the agent to bring in ${workplace.startedFrom}, or run: git merge ${workplace.branch}`,
      shown,
    ),
  )
}

/** From here on the project changes: its files and index first, its branch last. */
async function finishMerge(
  { context, places, record, shadow }: WorktreeToMerge,
  project: Repository,
  merging: NonNullable<WorkplaceRecord['merging']>,
  isAgain: boolean,
): Promise<MergeResult> {
  const { from, to, tip } = merging
  const workplace = record.workplace as WorktreeWorkplace
  const changes = await changedEntries(shadow, from, to)
  const index = join(project.gitDir, 'index')
  const call = { index, workTree: project.top }
  const forget = () => writeRecord(places, { ...record, merging: null })
  if (project.head !== to) {
    if (project.head !== from) {
      await forget()
      return refuse('project_changed', `${workplace.startedFrom} has moved since the merge began. Merge again.`)
    }
    await wantPlainIndex(project, workplace.branch)
    const changed = await findWhatIsUnclean(shadow, project, changes)
    const foreign = isAgain ? [...changed, ...(await findWhatIsForeign(shadow, project, changes))] : changed
    if (foreign.length > 0) {
      await forget()
      return notClean(workplace.project, [...new Set(foreign)])
    }
    context.onStep('files')
    const protect = ['-c', 'core.protectNTFS=true', '-c', 'core.protectHFS=true']
    await shadowGit(shadow, ['update-index', '-q', '--refresh'], { ...call, answers: [1] })
    const how = isAgain ? ['--reset', '-u', to] : ['-m', '-u', from, to]
    await shadowGit(shadow, [...protect, 'read-tree', ...how], call)
    context.onStep('head')
    const ref = `refs/heads/${workplace.startedFrom}`
    await runGit(context.program, ['update-ref', '-m', `merge ${workplace.branch}`, ref, to, from], {
      cwd: project.gitDir,
    })
  }
  context.onStep('done')
  await writeRecord(places, { ...record, merging: null, merged: tip })
  const files = changes.map(({ path }) => showName(path))
  return { ok: true, how: to === tip ? 'fast-forward' : 'merge-commit', commit: to, files }
}
