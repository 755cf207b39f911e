import { ClawbooError } from '../clawboo-error.ts'
import type { AgentFileName } from './agent-file.ts'
import type { AgentFileRevision } from './agent-file-revision.ts'

/** The error for a write over an outdated text: contains both numbers and the newest text, so that nothing is lost. */
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
