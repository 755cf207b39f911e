import { ClawbooError } from '../clawboo-error.ts'
import type { AgentFileName } from './agent-file.ts'
import type { AgentFileRevision } from './agent-file-revision.ts'

/** Creates the error for a write over an outdated text, with both numbers and the newest text to merge. */
export function staleRevision(
  name: AgentFileName,
  baseRevision: number,
  current: AgentFileRevision | null,
): ClawbooError {
  const details = {
    baseRevision,
    current: current && {
      revision: current.revision,
      content: current.content,
      author: current.author,
      createdAt: current.createdAt,
    },
  }
  return new ClawbooError('file_revision_stale', `${name} was changed since revision ${baseRevision}`, { details })
}
