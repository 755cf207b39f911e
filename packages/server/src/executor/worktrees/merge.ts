import { applyCopy } from './apply-copy.ts'
import { wantFiles } from './diff-of.ts'
import { mergeWorktree } from './merge-worktree.ts'
import { asRefusal } from './refusal.ts'
import type { MergeOptions, MergeResult, Worktree } from './worktree.ts'
import type { WorktreesContext } from './worktrees-context.ts'

export type { MergeResult } from './worktree.ts'

/**
 * The only function that changes the project. It merges everything or nothing. The next call finishes a merge that was
 * interrupted.
 */
export async function merge(
  context: WorktreesContext,
  worktree: Worktree,
  options: MergeOptions,
): Promise<MergeResult> {
  return asRefusal(async () => {
    const found = await wantFiles(context, worktree)
    return found.record.repository
      ? mergeWorktree({ context, ...found, options, repository: found.record.repository })
      : applyCopy({ context, ...found })
  })
}
