import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { absentAsNull } from '../../../access/absent-file.ts'
import type { GitWorktree } from '../worktree.ts'
import type { WorktreePlaces, WorktreeRecord } from '../worktree-record.ts'
import { exists, operationIn } from './find-repository.ts'
import { type GitProgram, lineOf, namesOf, runGit } from './git-command.ts'

/** The facts that the repository has about a worktree. */
export interface WorktreeState {
  /** Its folder in the repository's `worktrees`. */
  readonly admin: string
  readonly head: string
  /** `refs/heads/…`; null when the agent checked out a commit without a branch. */
  readonly headRef: string | null
  /** The commit of the task's branch. */
  readonly tip: string | null
  readonly operation: string | null
  readonly isLocked: boolean
}

/** null when the repository no longer lists the worktree. */
export async function readWorktreeState(
  program: GitProgram,
  places: WorktreePlaces,
  record: WorktreeRecord,
): Promise<WorktreeState | null> {
  const { repository } = record
  if (!repository || !(await exists(repository.commonDir))) return null
  const admin = await adminFolderOf(repository.commonDir, places.files)
  if (!admin) return null
  const ask = async (args: readonly string[], gitDir: string) => {
    const output = await runGit(program, [`--git-dir=${gitDir}`, ...args], { cwd: places.folder, answers: [1, 128] })
    return output.code === 0 ? lineOf(output) : null
  }
  const verify = (name: string, gitDir: string) =>
    ask(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`], gitDir)
  const head = await verify('HEAD', admin)
  if (head === null) return null
  const { branch } = record.worktree as GitWorktree
  return {
    admin,
    head,
    headRef: await ask(['symbolic-ref', '-q', 'HEAD'], admin),
    tip: await verify(`refs/heads/${branch}`, repository.commonDir),
    operation: await operationIn(admin),
    isLocked: await exists(join(admin, 'locked')),
  }
}

/**
 * All commits that only the worktree may refer to: every earlier head and branch tip, and every id in its folder, such as
 * in refs and unfinished operations.
 */
export async function knownCommits(
  program: GitProgram,
  commonDir: string,
  state: WorktreeState,
  branch: string,
): Promise<string[]> {
  const ids = new Set<string>([state.head, ...(state.tip ? [state.tip] : [])])
  const collect = async (file: string) => {
    const text = await readFile(file, 'latin1').catch(absentAsNull)
    for (const [id] of (text ?? '').matchAll(/\b(?:[\da-f]{64}|[\da-f]{40})\b/g)) ids.add(id)
  }
  await collect(join(commonDir, 'logs', 'refs', 'heads', ...branch.split('/')))
  const entries = await readdir(state.admin, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    if (entry.isFile() && !/^index/.test(entry.name)) await collect(join(entry.parentPath, entry.name))
  }
  // Drops trees, blobs, and text that only looks like an id.
  const input = [...ids].map((id) => `${id}\n`).join('')
  const format = '--batch-check=%(objectname) %(objecttype)'
  const { stdout } = await runGit(program, [`--git-dir=${commonDir}`, 'cat-file', format], { cwd: commonDir, input })
  return stdout
    .toString('latin1')
    .split('\n')
    .filter((line) => line.endsWith(' commit'))
    .map((line) => line.split(' ')[0]!)
}

/**
 * The commits that are on no branch and no tag of the project. Branches of tasks, stashes, remotes and a detached head do
 * not count: each can disappear at any time.
 */
export async function notInProject(
  program: GitProgram,
  gitDir: string,
  commits: readonly string[],
): Promise<readonly string[]> {
  if (commits.length === 0) return []
  const held = ['--not', '--exclude=clawboo/*', '--branches', '--tags']
  const lines = commits.map((id) => `${id}\n`).join('')
  const { stdout } = await runGit(program, [`--git-dir=${gitDir}`, 'rev-list', '--no-walk=unsorted', '--stdin'], {
    cwd: gitDir,
    input: lines,
  })
  const known = stdout.toString('latin1').split('\n').filter(Boolean)
  const missing = await runGit(program, [`--git-dir=${gitDir}`, 'rev-list', ...known, ...held], { cwd: gitDir })
  const out = new Set(missing.stdout.toString('latin1').split('\n'))
  return known.filter((id) => out.has(id))
}

/** Whether a branch is checked out anywhere, including by a person who reviews the result. */
export async function isCheckedOut(commonDir: string, branch: string): Promise<boolean> {
  const others = (await readdir(join(commonDir, 'worktrees')).catch(absentAsNull)) ?? []
  for (const folder of [commonDir, ...others.map((name) => join(commonDir, 'worktrees', name))]) {
    const text = await readFile(join(folder, 'HEAD'), 'utf8').catch(absentAsNull)
    if (text?.trim() === `ref: refs/heads/${branch}`) return true
  }
  return false
}

/** The staged files by raw path; null when the index has conflicts. */
export async function readIndex(list: Buffer): Promise<Map<string, { mode: string; id: string }> | null> {
  const files = new Map<string, { mode: string; id: string }>()
  for (const line of namesOf(list)) {
    const [mode, id, stage] = line.slice(0, line.indexOf('\t')).split(' ')
    if (stage !== '0') return null
    files.set(line.slice(line.indexOf('\t') + 1), { mode: mode!, id: id! })
  }
  return files
}

/** The repository's own folder about the worktree at `files`, found by its content; null when there is none. */
export async function adminFolderOf(commonDir: string, files: string): Promise<string | null> {
  const all = join(commonDir, 'worktrees')
  for (const name of (await readdir(all).catch(absentAsNull)) ?? []) {
    const text = await readFile(join(all, name, 'gitdir'), 'utf8').catch(absentAsNull)
    if (text?.replace(/\n$/, '') === join(files, '.git')) return join(all, name)
  }
  return null
}
