import type { TaskAssignee } from '@clawboo/core/board'
import type { ComponentProps } from 'react'
import { BooAvatar } from '../../ui/boo/boo-avatar.tsx'
import { AgentAvatar } from '../agent/agent-look.tsx'
import { participantName } from '../agent/participant-name.ts'

type Known = ComponentProps<typeof AgentAvatar>['agent'] & { readonly displayName: string }

export function AssigneeLine(props: {
  readonly assignee: TaskAssignee | null
  readonly participants: { readonly agent: (id: string) => Known | undefined }
  readonly size?: number
}) {
  const { assignee, participants, size = 20 } = props
  if (assignee === null) return <span className="truncate text-muted">Unassigned</span>
  const agent = participants.agent(assignee.id)
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      {agent ? (
        <AgentAvatar agent={agent} size={size} />
      ) : (
        <BooAvatar seed={assignee.id} person={assignee.kind === 'person'} size={size} />
      )}
      <span className="truncate">{participantName(assignee, agent)}</span>
    </span>
  )
}
