import type { Processes } from '../../processes/process.ts'
import type { GitProgram } from './git/git-command.ts'

export interface WorktreesLimits {
  readonly copyBytes: number
  readonly copyFiles: number
  /** Larger files are not compared. */
  readonly fileBytes: number
  /** The size of the part of a diff that is shown. The hash covers all of it. */
  readonly diffBytes: number
  readonly diffFiles: number
  /** The number of bytes that are kept of the beginning of a check's output, and of its end. */
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

export interface WorktreesContext {
  readonly root: string
  readonly program: GitProgram
  /** Separate from the home of git: a check could write settings there that change a diff. */
  readonly checkHome: string
  /** How checks are confined on this machine. */
  readonly confinement: Processes['confinement']
  readonly limits: WorktreesLimits
  readonly now: () => number
  readonly onStep: (step: string) => void
}
