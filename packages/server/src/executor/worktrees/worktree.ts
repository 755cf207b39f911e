import type { Refusal } from './refusal.ts'
/** The folder where one attempt changes files. Plain data: a caller may store it and use it again after a restart. */
export type Worktree = GitWorktree | CopiedWorktree | NoWorktree

export interface GitWorktree {
  readonly kind: 'worktree'
  readonly taskId: string
  readonly attempt: number
  /** The folder of the agent. For a project in a subfolder of its repository, the same subfolder of the worktree. */
  readonly folder: string
  readonly project: string
  readonly branch: string
  /** The commit that the attempt started from. */
  readonly base: string
  /** The branch of the project at that time; null when none was checked out. */
  readonly startedFrom: string | null
  /** Sentences for the agent and the person. */
  readonly notes: readonly string[]
}

export interface CopiedWorktree {
  readonly kind: 'copy'
  readonly taskId: string
  readonly attempt: number
  readonly folder: string
  readonly project: string
  /** The git tree of the copied files. */
  readonly base: string
  readonly notes: readonly string[]
}

/** Without a project an attempt works in the agent's workspace, which is never compared, merged or removed. */
export interface NoWorktree {
  readonly kind: 'none'
  readonly taskId: string
  readonly attempt: number
  readonly folder: string
}

export interface MergeOptions {
  /** The author and committer of the new commits. */
  readonly author: { readonly name: string; readonly email: string }
  /** The message of the merge commit, and of the commit with changes that the task did not commit. */
  readonly message: string
}

export type MergeResult =
  | {
      readonly ok: true
      /** `nothing`: the project already has all changes. `applied`: the changes of a copy, file by file. */
      readonly how: 'fast-forward' | 'merge-commit' | 'applied' | 'nothing'
      /** The new commit of the project's branch; null for a plain folder. */
      readonly commit: string | null
      readonly files: readonly string[]
    }
  | Refusal
