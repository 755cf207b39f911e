import { applyCopy } from './apply-copy.ts'
import { wantFiles } from './diff-of.ts'
import { mergeWorktree } from './merge-worktree.ts'
import { asRefusal, type Refusal, type Workplace } from './workplace.ts'
import type { WorktreesContext } from './worktrees.ts'

export interface MergeOptions {
  /** Who merges, as the commits name them. */
  readonly author: { readonly name: string; readonly email: string }
  /** The commit message for what the task left uncommitted, and for a merge commit. */
  readonly message: string
}

export type MergeResult =
  | {
      readonly ok: true
      /** `nothing`: the project has it all already. `applied`: a copy's changes, file by file. */
      readonly how: 'fast-forward' | 'merge-commit' | 'applied' | 'nothing'
      /** What the project's branch is at now; null for a plain folder. */
      readonly commit: string | null
      readonly files: readonly string[]
    }
  | Refusal

/** The one thing that changes the project. It does all of it or nothing; cut short, the same call again finishes it. */
export async function merge(
  context: WorktreesContext,
  workplace: Workplace,
  options: MergeOptions,
): Promise<MergeResult> {
  return asRefusal(async () => {
    const found = await wantFiles(context, workplace)
    return found.record.repository
      ? mergeWorktree({ context, ...found, options, repository: found.record.repository })
      : applyCopy({ context, ...found })
  })
}
