import type { AgentRecord } from '@clawboo/core/registry'
import { waitingAgents } from '../../api/attention.ts'
import { BooAvatar } from '../../ui/boo/boo-avatar.tsx'
import { Pill } from '../../ui/pill.tsx'
import { useNow } from '../../ui/state/use-now.ts'
import { useValue } from '../../ui/state/value-store.ts'
import { type AgentState, agentState, type StatusFields } from './agent-state.ts'
import { seedOf } from './agent-words.ts'

/** An agent's avatar: its own shape, with eyes that show its current state. */
export function AgentAvatar(props: {
  readonly agent: StatusFields & Pick<AgentRecord, 'id' | 'avatarSeed' | 'participantKind'>
  readonly size?: number
}) {
  const { agent, size = 30 } = props
  return (
    <BooAvatar
      seed={seedOf(agent)}
      eyes={useAgentState(agent).eyes}
      person={agent.participantKind === 'human'}
      size={size}
    />
  )
}

export function useAgentState(agent: StatusFields & Pick<AgentRecord, 'id'>): AgentState {
  const now = useNow()
  return agentState(agent, now, useValue(waitingAgents).has(agent.id))
}

export function StatePill({ state }: { state: AgentState }) {
  return (
    <Pill tone={state.tone}>
      {state.kind === 'working' ? <span className="size-1.5 rounded-full bg-current" /> : null}
      {state.pill}
    </Pill>
  )
}
