import { Link } from '@tanstack/react-router'
import type { Agent } from '../../api/fleet.ts'
import { AgentAvatar } from '../../shared/agent/agent-avatar.tsx'
import { useAgentState } from '../../shared/agent/use-agent-state.ts'
import { SCRIPTED } from '../../shared/provider/provider-words.ts'
import { useIsScripted } from '../../shared/provider/scripted-boos.ts'
import type { Tone } from '../../ui/tone.ts'
import type { RoomMembers } from './room-members.ts'

const TONES: Readonly<Record<Tone, string>> = {
  plain: 'text-muted',
  working: 'text-working',
  needs: 'text-needs',
  good: 'text-good',
  bad: 'text-bad',
}

/** The members of the room and their states, in a scrolling row. */
export function TeamStrip({ members }: { members: RoomMembers }) {
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
