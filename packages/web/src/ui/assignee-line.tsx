import type { TaskAssignee } from '@clawboo/core/board'
import { AgentAvatar } from '../../ui/agent-avatar.tsx'
import { BooAvatar } from '../../ui/boo-avatar.tsx'
import type { Participants } from './participants.ts'

/** Who was asked, with their picture. */
export function AssigneeLine(props: {
  readonly assignee: TaskAssignee | null
  readonly participants: Participants
  readonly size?: number
}) {
  const { assignee, participants, size = 20 } = props
  if (assignee === null) return <span className="truncate text-muted">Nobody asked</span>
  const agent = participants.agent(assignee.id)
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      {agent ? (
        <AgentAvatar agent={agent} size={size} />
      ) : (
        <BooAvatar seed={assignee.id} person={assignee.kind === 'person'} size={size} />
      )}
      <span className="truncate">{participants.nameOf(assignee)}</span>
    </span>
  )
}
