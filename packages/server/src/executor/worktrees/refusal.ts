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
  | 'worktree_missing'
  | 'worktree_unsettled'

/** An expected problem. The message names the problem and the remedy for a person. */
export interface Refusal {
  readonly ok: false
  readonly code: RefusalCode
  readonly message: string
  /** The affected files, at most 20. */
  readonly files?: readonly string[]
}

export const refuse = (code: RefusalCode, message: string, files?: readonly string[]): Refusal => ({
  ok: false,
  code,
  message,
  ...(files ? { files: files.slice(0, 20) } : {}),
})

/** Carries a refusal through nested calls; `asRefusal` turns it back into a value. */
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
