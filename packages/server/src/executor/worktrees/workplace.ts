/** Where one attempt at a task works. Plain data: the caller may keep it, and hand it in again after a restart. */
export type Workplace = WorktreeWorkplace | CopyWorkplace | NoWorkplace

export interface WorktreeWorkplace {
  readonly kind: 'worktree'
  readonly taskId: string
  readonly attempt: number
  /** Where the agent works: the worktree, or the same subfolder of it that the project is of its repository. */
  readonly folder: string
  readonly project: string
  readonly branch: string
  /** The commit it started from. */
  readonly base: string
  /** The project's branch at that time; null when none was checked out. */
  readonly startedFrom: string | null
  /** What the agent and the person should know, one sentence each. */
  readonly notes: readonly string[]
}

export interface CopyWorkplace {
  readonly kind: 'copy'
  readonly taskId: string
  readonly attempt: number
  readonly folder: string
  readonly project: string
  /** The tree that was copied. */
  readonly base: string
  readonly notes: readonly string[]
}

/** No project: the agent's own workspace. Nothing here is compared, merged or removed. */
export interface NoWorkplace {
  readonly kind: 'none'
  readonly taskId: string
  readonly attempt: number
  readonly folder: string
}

export type RefusalCode =
  | 'bare_repository'
  | 'branch_taken'
  | 'changes_unreadable'
  | 'check_not_started'
  | 'conflicts'
  | 'files_in_the_way'
  | 'git_failed'
  | 'git_missing'
  | 'merge_by_hand'
  | 'nested_repository'
  | 'no_commit'
  | 'no_project'
  | 'operation_under_way'
  | 'other_branch'
  | 'own_folder'
  | 'project_busy'
  | 'project_changed'
  | 'project_missing'
  | 'repository_unreadable'
  | 'subfolder_not_committed'
  | 'too_large'
  | 'workplace_missing'
  | 'workplace_unsettled'

/** An expected no: what is wrong and what to do, in words for a person. */
export interface Refusal {
  readonly ok: false
  readonly code: RefusalCode
  readonly message: string
  /** The files it is about, at most 20 of them. */
  readonly files?: readonly string[]
}

export const refuse = (code: RefusalCode, message: string, files?: readonly string[]): Refusal => ({
  ok: false,
  code,
  message,
  ...(files ? { files: files.slice(0, 20) } : {}),
})

/** Carries a refusal out of nested calls; `asRefusal` makes a value of it again at the edge. */
export class RefusedError extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}

export async function asRefusal<T>(work: () => Promise<T>): Promise<T | Refusal> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof RefusedError) return error.refusal
    throw error
  }
}
