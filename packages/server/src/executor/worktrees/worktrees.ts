import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { CleanUpOptions, CleanUpResult } from './clean-up.ts'
import type { DiffResult } from './diff-of.ts'
import type { GitProgram } from './git-command.ts'
import type { MadeProject } from './make-project.ts'
import type { MergeOptions, MergeResult } from './merge.ts'
import type { Prepared, WorkplaceRequest } from './prepare-workplace.ts'
import type { CheckOptions, CheckResult } from './run-check.ts'
import type { KnownWorkplace, Swept } from './sweep.ts'
import type { Workplace } from './workplace.ts'

/**
 * Where tasks that change files work: a worktree of the project's repository, or a copy of a plain folder. It knows
 * nothing of the board. The person's files, index, branches, stash and configuration change in `merge` and nowhere else.
 * Expected problems are values; one workplace is used by one caller at a time.
 */
export interface Worktrees {
  /** The same task and attempt again gives the same place, with whatever is in it. */
  prepareWorkplace(request: WorkplaceRequest): Promise<Prepared>
  diffOf(workplace: Workplace): Promise<DiffResult>
  runCheck(workplace: Workplace, command: string, options?: CheckOptions): Promise<CheckResult>
  merge(workplace: Workplace, options: MergeOptions): Promise<MergeResult>
  cleanUp(workplace: Pick<Workplace, 'kind' | 'taskId' | 'attempt'>, options?: CleanUpOptions): Promise<CleanUpResult>
  sweep(known: readonly KnownWorkplace[]): Promise<readonly Swept[]>
  /** A new repository with these files. Rejects when the folder is there already. */
  makeProject(folder: string, files: Readonly<Record<string, string>>): Promise<MadeProject>
}

export interface WorktreesLimits {
  readonly copyBytes: number
  readonly copyFiles: number
  /** A file larger than this is not compared. */
  readonly fileBytes: number
  /** Of a diff as it is shown; its hash is of everything. */
  readonly diffBytes: number
  readonly diffFiles: number
  /** Of a check's output: this much of its beginning, and as much of its end. */
  readonly outputBytes: number
  readonly checkMs: number
}

export const DEFAULT_LIMITS: WorktreesLimits = {
  copyBytes: 1024 ** 3,
  copyFiles: 50_000,
  fileBytes: 256 * 1024 ** 2,
  diffBytes: 2 * 1024 ** 2,
  diffFiles: 2000,
  outputBytes: 32 * 1024,
  checkMs: 15 * 60_000,
}

export interface WorktreesOptions {
  /** `<home>/worktrees`. */
  readonly root: string
  /** The search path for git and for checks. */
  readonly path: string
  readonly limits?: Partial<WorktreesLimits>
  readonly now?: () => number
  /** Told of each step that changes something, before it is taken. A test dies here. */
  readonly onStep?: (step: string) => void
}

export interface WorktreesContext {
  readonly root: string
  readonly program: GitProgram
  /** Apart from git's: what a check writes there must not decide what a diff shows. */
  readonly checkHome: string
  readonly limits: WorktreesLimits
  readonly now: () => number
  readonly onStep: (step: string) => void
}

export async function openWorktrees(options: WorktreesOptions): Promise<Worktrees> {
  await mkdir(options.root, { recursive: true, mode: 0o700 })
  // As git writes it down.
  const root = await realpath(options.root)
  const home = join(root, '.home')
  const checkHome = join(root, '.check-home')
  for (const folder of [home, checkHome]) await mkdir(folder, { recursive: true, mode: 0o700 })
  const context: WorktreesContext = {
    root,
    program: { path: options.path, home },
    checkHome,
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    now: options.now ?? Date.now,
    onStep: options.onStep ?? (() => {}),
  }
  // A server without projects never needs any of it, and its memory counts.
  return {
    prepareWorkplace: async (request) => (await import('./prepare-workplace.ts')).prepareWorkplace(context, request),
    diffOf: async (workplace) => (await import('./diff-of.ts')).diffOf(context, workplace),
    runCheck: async (workplace, ...more) => (await import('./run-check.ts')).runCheck(context, workplace, ...more),
    merge: async (workplace, more) => (await import('./merge.ts')).merge(context, workplace, more),
    cleanUp: async (workplace, more) => (await import('./clean-up.ts')).cleanUp(context, workplace, more),
    sweep: async (known) => (await import('./sweep.ts')).sweep(context, known),
    makeProject: async (folder, files) => (await import('./make-project.ts')).makeProject(context, folder, files),
  }
}
