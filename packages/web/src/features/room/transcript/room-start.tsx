import { Link } from '@tanstack/react-router'
import type { Team } from '../../../api/teams.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/page-states.tsx'
import type { RoomMembers } from '../room-members.ts'

/** A room in which nobody has spoken: what to do next. */
export function RoomStart({ team, members }: { team: Team; members: RoomMembers }) {
  const leader = members.leaderId === null ? null : members.nameOf(members.leaderId)
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      {members.boos.length === 0 ? (
        <EmptyState title="Nobody is here yet" seed={team.id}>
          <p>A room needs Boos who can answer. Add some to the team, then say what you want done.</p>
          <Link to="/teams/$teamId" params={{ teamId: team.id }} className={buttonClass('primary')}>
            Add members
          </Link>
        </EmptyState>
      ) : (
        <EmptyState title="Say what you want done" seed={team.id}>
          <p>
            {leader === null
              ? 'Write below and pick who is to answer with @.'
              : `Write below: ${leader} takes it up and brings the others in. Pick somebody with @ to ask them directly.`}
          </p>
          <p>Before you send, you see who would run, for how many turns at most, and about what it costs.</p>
        </EmptyState>
      )}
    </div>
  )
}
