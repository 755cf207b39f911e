import { lstat, realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { type GitProgram, lineOf, runGit } from './git-command.ts'
import { RefusedError, refuse } from './workplace.ts'

/** A person's repository as it stands. Looking changes nothing in it. */
export interface Repository {
  /** The folder of its files. */
  readonly top: string
  /** The project inside it: empty for the whole repository, else a relative path. */
  readonly inside: string
  readonly gitDir: string
  /** The same for all its worktrees: objects, branches and configuration are here. */
  readonly commonDir: string
  readonly objectFormat: string
  readonly head: string | null
  /** `main`, not `refs/heads/main`; null when no branch is checked out. */
  readonly branch: string | null
  /** What is under way in it, in words, or null. */
  readonly operation: string | null
  readonly isSparse: boolean
}

export const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

/** The repository that a folder is, or is part of; null for a plain folder. Throws a `RefusedError`. */
export async function findRepository(program: GitProgram, project: string): Promise<Repository | null> {
  const folder = await wantFolder(project)
  const ask = async (...args: string[]) => {
    const output = await runGit(program, ['rev-parse', ...args], { cwd: folder, answers: [1, 128] })
    return output.code === 0 ? lineOf(output) : null
  }
  // The folder comes last, because its name may hold anything, a line break too.
  const about = await ask('--is-bare-repository', '--is-inside-git-dir', '--show-object-format', '--absolute-git-dir')
  if (about === null) {
    if (!(await exists(join(folder, '.git')))) return null
    throw new RefusedError(
      refuse('repository_unreadable', `${project} has a .git that git cannot read as a repository of this user.`),
    )
  }
  const [isBare, isInside, objectFormat = 'sha1', ...lines] = about.split('\n')
  if (isBare !== 'false' || isInside !== 'false') {
    throw new RefusedError(
      refuse('bare_repository', `${project} is a bare repository: it has no files to work on. Pick a clone of it.`),
    )
  }
  const call = { cwd: folder, answers: [1, 128] }
  const [top, commonDir, head, branch, sparse, gitDir] = await Promise.all([
    ask('--show-toplevel'),
    ask('--git-common-dir'),
    ask('--verify', '--quiet', '--end-of-options', 'HEAD^{commit}'),
    runGit(program, ['symbolic-ref', '-q', 'HEAD'], call),
    runGit(program, ['config', '--type=bool', '--get', 'core.sparseCheckout'], call),
    realpath(lines.join('\n')),
  ])
  const inside = top === null ? '..' : relative(top, folder)
  if (top === null || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
    // The repository's own configuration says where its files are; it may say anything.
    throw new RefusedError(refuse('repository_unreadable', `The repository of ${project} keeps its files elsewhere.`))
  }
  return {
    top,
    inside,
    gitDir,
    commonDir: await realpath(resolve(folder, commonDir ?? gitDir)),
    objectFormat,
    head,
    branch: branch.code === 0 ? lineOf(branch).replace(/^refs\/heads\//, '') : null,
    operation: await operationIn(gitDir),
    isSparse: lineOf(sparse) === 'true',
  }
}

async function wantFolder(project: string): Promise<string> {
  const stats = await stat(project).catch(() => null)
  if (stats?.isDirectory()) return realpath(project)
  const what = stats ? 'is not a folder' : 'is not there'
  throw new RefusedError(refuse('project_missing', `The project folder ${project} ${what}. Pick another for the team.`))
}

const OPERATIONS: readonly (readonly [file: string, words: string])[] = [
  ['rebase-merge', 'a rebase'],
  ['rebase-apply', 'a rebase'],
  ['MERGE_HEAD', 'a merge'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick'],
  ['REVERT_HEAD', 'a revert'],
  ['BISECT_LOG', 'a bisect'],
  ['sequencer', 'a sequence of picks'],
]

/** What is half done in a git folder, in words. */
export async function operationIn(gitDir: string): Promise<string | null> {
  for (const [file, words] of OPERATIONS) if (await exists(join(gitDir, file))) return words
  return null
}
