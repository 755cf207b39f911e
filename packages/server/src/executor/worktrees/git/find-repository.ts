import { lstat, realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { RefusedError, refuse } from '../refusal.ts'
import { type GitProgram, lineOf, runGit } from './git-command.ts'

/** The current state of a person's repository. Reading it changes nothing. */
export interface Repository {
  /** The top folder of its files. */
  readonly top: string
  /** The relative path of the project in it; empty for the whole repository. */
  readonly inside: string
  readonly gitDir: string
  /** The folder with objects, branches and configuration, which all worktrees share. */
  readonly commonDir: string
  readonly objectFormat: string
  readonly head: string | null
  /** `main`, not `refs/heads/main`; null when no branch is checked out. */
  readonly branch: string | null
  /** The unfinished operation in words for people; null = none. */
  readonly operation: string | null
  readonly isSparse: boolean
}

export const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

/** Finds the repository of a folder; null for a plain folder. Throws a `RefusedError`. */
export async function findRepository(program: GitProgram, project: string): Promise<Repository | null> {
  const folder = await wantFolder(project)
  const ask = async (...args: string[]) => {
    const output = await runGit(program, ['rev-parse', ...args], { cwd: folder, answers: [1, 128] })
    return output.code === 0 ? lineOf(output) : null
  }
  // The folder comes last, because its name may contain line breaks.
  const about = await ask('--is-bare-repository', '--is-inside-git-dir', '--show-object-format', '--absolute-git-dir')
  if (about === null) {
    if (!(await exists(join(folder, '.git')))) return null
    throw new RefusedError(
      refuse('repository_unreadable', `Git cannot read the .git of ${project} as a repository of this user.`),
    )
  }
  const [isBare, isInside, objectFormat = 'sha1', ...lines] = about.split('\n')
  if (isBare !== 'false' || isInside !== 'false') {
    throw new RefusedError(
      refuse('bare_repository', `${project} is a bare repository, without files. Pick a clone of it.`),
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
    // The repository's configuration may name any folder for its files.
    throw new RefusedError(
      refuse('repository_unreadable', `The repository of ${project} stores its files in another folder.`),
    )
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
  // A folder that cannot be read cannot be used as a project either.
  const stats = await stat(project).catch(() => null)
  if (stats?.isDirectory()) return realpath(project)
  const problem = stats ? 'is not a folder' : 'does not exist'
  throw new RefusedError(
    refuse('project_missing', `The project folder ${project} ${problem}. Pick another folder for the team.`),
  )
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

/** The unfinished operation in a git folder, in words for people. */
export async function operationIn(gitDir: string): Promise<string | null> {
  for (const [file, words] of OPERATIONS) if (await exists(join(gitDir, file))) return words
  return null
}
