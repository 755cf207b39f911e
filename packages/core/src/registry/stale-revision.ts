import { ClawbooError } from '../clawboo-error.ts'
import type { AgentFileName } from './agent-file.ts'
import type { AgentFileRevision } from './agent-file-revision.ts'

/** A write over a text that is no longer the newest: with both numbers and the newest text, so that nothing is lost. */
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
