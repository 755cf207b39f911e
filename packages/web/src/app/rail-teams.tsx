import { Link, useLocation } from '@tanstack/react-router'
import { useEffect, useMemo } from 'react'
import { type Agent, useFleet } from '../api/fleet.ts'
import { useFirstHeard, useRoomHead } from '../api/room/room.ts'
import { type Team, useTeams } from '../api/teams.ts'
import { isUnread, markRead, useReadMark } from '../features/room/unread.ts'
import { AgentAvatar } from '../shared/agent/agent-look.tsx'
import { classNames } from '../ui/class-names.ts'
import { Icon } from '../ui/icon.tsx'

const SHOWN_BOOS = 3

/** The teams, each with its first Boos. */
export function RailTeams({ onGo }: { onGo?: () => void }) {
  const teams = useTeams()
  const fleet = useFleet()
  const members = useMemo(() => firstMembers(fleet.data?.agents ?? []), [fleet.data])
  const named = useMemo(
    () =>
      [...(teams.data ?? [])].sort((one, other) => one.name.localeCompare(other.name, undefined, { numeric: true })),
    [teams.data],
  )
  return (
    <>
      <div className="flex items-center justify-between px-2 pt-3.5 pb-1 text-xs font-[550] text-muted">
        <h2>Teams</h2>
        <Link
          to="/teams/new"
          onClick={onGo}
          aria-label="New team"
          title="New team"
          className="grid size-6 place-items-center rounded-s hover:bg-sunken hover:text-text"
        >
          <Icon name="plus" size={14} />
        </Link>
      </div>
      {named.map((team) => (
        <TeamPlace key={team.id} team={team} members={members.get(team.id) ?? []} onGo={onGo} />
      ))}
      {teams.isSuccess && named.length === 0 ? <p className="px-2 text-sm text-muted">No teams yet</p> : null}
    </>
  )
}

function TeamPlace({ team, members, onGo }: { team: Team; members: readonly Agent[]; onGo?: () => void }) {
  const isHere = useLocation({ select: ({ pathname }) => isOfTeam(pathname, team.id) })
  return (
    <Link
      to="/teams/$teamId/room"
      params={{ teamId: team.id }}
      onClick={onGo}
      className={classNames(placeClass, 'h-8', isHere && `${placeOnClass} text-text`)}
    >
      {members.length > 0 ? (
        <span className="flex shrink-0 -space-x-[7px]">
          {members.map((agent) => (
            <AgentAvatar key={agent.id} agent={agent} size={20} />
          ))}
        </span>
      ) : (
        <Icon name="team" />
      )}
      <span className="truncate font-medium">{team.name}</span>
      <UnreadDot teamId={team.id} />
    </Link>
  )
}

/** True for the room and for the team's page. */
function isOfTeam(pathname: string, teamId: string): boolean {
  const [, place, id] = pathname.split('/')
  return place === 'teams' && id !== undefined && decodeURIComponent(id) === teamId
}

/** A room that was never opened here counts as read until the next post. */
function UnreadDot({ teamId }: { teamId: string }) {
  const mark = useReadMark(teamId)
  const head = useRoomHead(teamId)
  const heard = useFirstHeard(teamId)
  useEffect(() => {
    if (mark === undefined && heard !== undefined) markRead(teamId, heard - 1)
  }, [teamId, mark, heard])
  if (!isUnread(mark, head)) return null
  return (
    <span className="ml-auto size-2 shrink-0 rounded-full bg-accent">
      <span className="sr-only">unread</span>
    </span>
  )
}

function firstMembers(agents: readonly Agent[]): Map<string, Agent[]> {
  const byTeam = new Map<string, Agent[]>()
  for (const agent of agents) {
    if (agent.teamId === null) continue
    const members = byTeam.get(agent.teamId)
    if (!members) byTeam.set(agent.teamId, [agent])
    else if (members.length < SHOWN_BOOS) members.push(agent)
  }
  return byTeam
}

export const placeClass =
  'flex h-[30px] shrink-0 items-center gap-2.5 rounded-s px-2 text-muted hover:text-text data-[status=active]:text-text'
export const placeOnClass = 'bg-surface shadow-[inset_0_0_0_1px_var(--line)]'
