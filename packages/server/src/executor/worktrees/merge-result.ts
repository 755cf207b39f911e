import type { Refusal } from './refusal.ts'

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
