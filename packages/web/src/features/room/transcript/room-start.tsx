import { Link } from '@tanstack/react-router'
import type { Team } from '../../../api/teams.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/page-states.tsx'
import type { RoomMembers } from '../room-members.ts'

/** An empty room: suggestions for a first message. */
export function RoomStart({ team, members }: { team: Team; members: RoomMembers }) {
  const leader = members.leaderId === null ? null : members.nameOf(members.leaderId)
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      {members.boos.length === 0 ? (
        <EmptyState title="No Boos yet" seed={team.id}>
          <p>A room needs Boos that reply. Add some to the team, then write what you want done.</p>
          <Link to="/teams/$teamId" params={{ teamId: team.id }} className={buttonClass('primary')}>
            Add members
          </Link>
        </EmptyState>
      ) : (
        <EmptyState title="Write what you want done" seed={team.id}>
          <p>
            {leader === null
              ? 'Write below and choose who replies with @.'
              : `Write below. ${leader} replies and involves the others. Use @ to ask one Boo.`}
          </p>
          <p>Before you send, you see who will reply, the most turns, and the estimated cost.</p>
        </EmptyState>
      )}
    </div>
  )
}
