import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { FolderRead } from '@clawboo/core/executor'
import type { Processes } from '../../processes/process.ts'
import type { CleanUpResult } from './clean-up.ts'
import type { DiffResult } from './diff-of.ts'
import type { MadeProject } from './make-project.ts'
import type { Prepared, WorktreeRequest } from './prepare-worktree.ts'
import type { CheckOptions, CheckResult } from './run-check.ts'
import type { KnownWorktree, Swept } from './sweep.ts'
import type { MergeOptions, MergeResult, Worktree } from './worktree.ts'
import { DEFAULT_LIMITS, type WorktreesContext, type WorktreesLimits } from './worktrees-context.ts'

/**
 * The folders where tasks change files: git worktrees of the project's repository, or copies of a plain folder. Only
 * `merge` changes the files, index, branches, stash or configuration of the person. Expected problems are values. One
 * caller at a time uses a worktree.
 */
export interface Worktrees {
  /** The same task and attempt gets the same folder again, with its files. */
  prepareWorktree(request: WorktreeRequest): Promise<Prepared>
  diffOf(worktree: Worktree): Promise<DiffResult>
  /** Lists what a confined program must read outside the worktree: the repository, without the addresses in its settings. */
  readsOf(worktree: Worktree): Promise<readonly FolderRead[]>
  runCheck(worktree: Worktree, command: string, options?: CheckOptions): Promise<CheckResult>
  merge(worktree: Worktree, options: MergeOptions): Promise<MergeResult>
  cleanUp(worktree: Pick<Worktree, 'kind' | 'taskId' | 'attempt'>): Promise<CleanUpResult>
  sweep(known: readonly KnownWorktree[]): Promise<readonly Swept[]>
  /** Makes a repository with these files. Rejects when the folder exists. */
  makeProject(folder: string, files: Readonly<Record<string, string>>): Promise<MadeProject>
}

export interface WorktreesOptions {
  /** `<home>/worktrees`. */
  readonly root: string
  /** The search path for git and for checks. */
  readonly path: string
  readonly confinement: Processes['confinement']
  readonly limits?: Partial<WorktreesLimits>
  readonly now?: () => number
  /** Called before each step that changes something. Tests kill the process here. */
  readonly onStep?: (step: string) => void
}

export async function openWorktrees(options: WorktreesOptions): Promise<Worktrees> {
  await mkdir(options.root, { recursive: true, mode: 0o700 })
  // Git stores resolved paths.
  const root = await realpath(options.root)
  const home = join(root, '.home')
  const checkHome = join(root, '.check-home')
  for (const folder of [home, checkHome]) await mkdir(folder, { recursive: true, mode: 0o700 })
  const context: WorktreesContext = {
    root,
    program: { path: options.path, home },
    checkHome,
    confinement: options.confinement,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    now: options.now ?? Date.now,
    onStep: options.onStep ?? (() => {}),
  }
  // Loaded on first use: a server without projects uses less memory.
  return {
    prepareWorktree: async (request) => (await import('./prepare-worktree.ts')).prepareWorktree(context, request),
    diffOf: async (worktree) => (await import('./diff-of.ts')).diffOf(context, worktree),
    readsOf: async (worktree) => (await import('./repository-reads.ts')).repositoryReads(context, worktree),
    runCheck: async (worktree, ...more) => (await import('./run-check.ts')).runCheck(context, worktree, ...more),
    merge: async (worktree, more) => (await import('./merge.ts')).merge(context, worktree, more),
    cleanUp: async (worktree) => (await import('./clean-up.ts')).cleanUp(context, worktree),
    sweep: async (known) => (await import('./sweep.ts')).sweep(context, known),
    makeProject: async (folder, files) => (await import('./make-project.ts')).makeProject(context, folder, files),
  }
}
