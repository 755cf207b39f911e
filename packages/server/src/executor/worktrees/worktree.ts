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
