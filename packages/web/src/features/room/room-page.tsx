import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type Agent, useFleet } from '../../api/fleet.ts'
import { type Room, useRoom } from '../../api/room/room.ts'
import type { Team } from '../../api/teams.ts'
import { AgentAvatar, useAgentState } from '../../shared/agent/agent-look.tsx'
import { Loaded, LoadingPage, MissingPage, TeamLoader } from '../../shared/loaded.tsx'
import { useIsScripted } from '../../shared/provider/model-in-force.ts'
import { SCRIPTED } from '../../shared/provider/provider-words.ts'
import { focusInConversation } from '../../shared/transcript/focus-in-conversation.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { FocusHome } from '../../ui/keyboard/passes-focus.tsx'
import { usePageActions } from '../../ui/page-actions.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import type { Tone } from '../../ui/pill.tsx'
import { counted } from '../../ui/words/time-words.ts'
import { FIELD_ID, RoomComposer } from './composer/room-composer.tsx'
import { ExchangeBar } from './exchange/exchange-bar.tsx'
import { type RoomMembers, roomMembers } from './room-members.ts'
import { RoomTranscript } from './transcript/room-transcript.tsx'
import { readMark } from './unread.ts'
import { useWorkPlace, WORK_ID, WorkBeside, type WorkPlace } from './work-column/work-beside.tsx'

const route = getRouteApi('/shell/teams/$teamId/room')

export function RoomPage() {
  const { teamId } = route.useParams()
  const missing = <MissingPage name="Room" words="Its team was deleted, or the address is wrong." />
  return (
    <TeamLoader teamId={teamId} title="Room" missing={missing}>
      {(team) => <TeamRoom key={team.id} team={team} />}
    </TeamLoader>
  )
}

function TeamRoom({ team }: { team: Team }) {
  const fleet = useFleet()
  if (fleet.data) return <RoomFrame team={team} members={roomMembers(team, fleet.data)} />
  return <LoadingPage title="Room" name="the room" reading={fleet} />
}

function RoomFrame({ team, members }: { team: Team; members: RoomMembers }) {
  const { post } = route.useSearch()
  // Fixed at opening, so that reading the unread posts does not move the room.
  const [opened] = useState(() => post ?? nextUnread(team.id))
  const room = useRoom(team.id, opened)
  const work = useWorkPlace()
  useRoomActions(team, work)
  return (
    <>
      <RoomHeader team={team} members={members} work={work} />
      <TeamStrip members={members} />
      <div className="flex min-h-0 flex-1">
        <div className="flex min-w-0 flex-1 flex-col">
          <Loaded reading={room} name="the messages" rows={4}>
            {(data) => (
              <FocusHome value={toField}>
                <RoomParts team={team} members={members} room={data} marked={post} />
              </FocusHome>
            )}
          </Loaded>
        </div>
        {work.isOpen ? <WorkBeside team={team} members={members} /> : null}
      </div>
    </>
  )
}

interface PartsProps {
  readonly team: Team
  readonly members: RoomMembers
  readonly room: Room
  readonly marked: number | undefined
}

function RoomParts({ team, members, room, marked }: PartsProps) {
  const [sent, setSent] = useState(0)
  return (
    <>
      <ExchangeBar team={team} room={room} members={members} />
      <RoomTranscript team={team} room={room} members={members} marked={marked} sent={sent} />
      <RoomComposer team={team} room={room} members={members} onSent={() => setSent((count) => count + 1)} />
    </>
  )
}

function RoomHeader({ team, members, work }: { team: Team; members: RoomMembers; work: WorkPlace }) {
  const { boos, people } = members
  const who = [
    counted(boos.length, 'Boo'),
    ...(people.length === 0 ? [] : [counted(people.length, 'person', 'people')]),
  ]
  const params = { teamId: team.id }
  return (
    <PageHeader title={team.name} documentTitle={`Room of ${team.name}`} sub={who.join(' · ')}>
      {work.hasRoom ? (
        <Button aria-expanded={work.isOpen} aria-controls={work.isOpen ? WORK_ID : undefined} onClick={work.toggle}>
          <Icon name="check" size={14} />
          Work
        </Button>
      ) : null}
      <Link to="/board/$teamId" params={params} className={buttonClass()}>
        <Icon name="board" size={14} />
        Board
      </Link>
      <Link to="/teams/$teamId" params={params} className={buttonClass()}>
        <Icon name="team" size={14} />
        Team
      </Link>
      <Link
        to="/teams/$teamId/room/settings"
        params={params}
        aria-label="Room settings"
        title="Room settings"
        className="grid size-8 shrink-0 place-items-center rounded-s text-muted hover:bg-sunken hover:text-text max-wide:size-10"
      >
        <Icon name="settings" />
      </Link>
    </PageHeader>
  )
}

function useRoomActions(team: Team, work: WorkPlace): void {
  const navigate = route.useNavigate()
  const params = { teamId: team.id }
  usePageActions([
    {
      id: 'room-board',
      title: 'Open the board',
      place: team.name,
      icon: 'board',
      run: () => void navigate({ to: '/board/$teamId', params }),
    },
    {
      id: 'room-team',
      title: 'Members and team',
      place: team.name,
      icon: 'team',
      run: () => void navigate({ to: '/teams/$teamId', params }),
    },
    {
      id: 'room-settings',
      title: 'Room settings',
      place: team.name,
      icon: 'settings',
      run: () => void navigate({ to: '/teams/$teamId/room/settings', params }),
    },
    ...(work.hasRoom
      ? [
          {
            id: 'room-work',
            title: work.isOpen ? 'Hide the work column' : 'Show the work column',
            place: team.name,
            icon: 'check',
            run: work.toggle,
          } as const,
        ]
      : []),
  ])
}

/** In a room that was never opened here, nothing counts as unread. */
function nextUnread(teamId: string): 'newest' | number {
  const mark = readMark(teamId)
  return mark === undefined ? 'newest' : mark + 1
}

function toField(): void {
  focusInConversation(document.getElementById(FIELD_ID))
}

const TONES: Readonly<Record<Tone, string>> = {
  plain: 'text-muted',
  working: 'text-working',
  needs: 'text-needs',
  good: 'text-good',
  bad: 'text-bad',
}

function TeamStrip({ members }: { members: RoomMembers }) {
  const everybody = [...members.boos, ...members.people]
  if (everybody.length === 0) return null
  return (
    <nav aria-label="Members" className="shrink-0 overflow-x-auto border-b border-line [scrollbar-width:none]">
      <ul className="flex w-max min-w-full gap-1 px-3 py-1.5">
        {everybody.map((agent) => (
          <li key={agent.id}>
            <Member agent={agent} leads={agent.id === members.leaderId} />
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Member({ agent, leads }: { agent: Agent; leads: boolean }) {
  const state = useAgentState(agent)
  const isScripted = useIsScripted()(agent)
  const isPerson = agent.participantKind === 'human'
  const words = [...(leads ? ['leads'] : []), isPerson ? 'person' : state.pill].join(' · ')
  return (
    <Link
      to="/agents/$agentId"
      params={{ agentId: agent.id }}
      title={isScripted ? `${agent.displayName}: ${SCRIPTED}` : undefined}
      className="flex max-w-[200px] items-center gap-2.5 rounded-s px-2 py-1 hover:bg-bg"
    >
      <AgentAvatar agent={agent} size={28} />
      <span className="min-w-0 leading-tight">
        <bdi className="block truncate font-[560]">{agent.displayName}</bdi>
        <span className={`block truncate text-xs ${TONES[isPerson ? 'plain' : state.tone]}`}>{words}</span>
      </span>
      {isScripted ? <span className="sr-only">{SCRIPTED}</span> : null}
    </Link>
  )
}
