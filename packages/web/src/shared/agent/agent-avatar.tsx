import type { AgentRecord } from '@clawboo/core/registry'
import { BooAvatar } from '../../ui/boo/boo-avatar.tsx'
import type { StatusFields } from './agent-state.ts'
import { seedOf } from './agent-words.ts'
import { useAgentState } from './use-agent-state.ts'

/** An agent's picture: its own shape, and eyes for its current state. */
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
