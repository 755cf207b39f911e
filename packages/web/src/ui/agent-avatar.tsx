import type { AgentRecord } from '@clawboo/core/registry'
import { agentState, type StatusFields } from './agent-state.ts'
import { seedOf } from './agent-words.ts'
import { BooAvatar } from './boo-avatar.tsx'
import { useNow } from './use-now.ts'

/** An agent as it is now: its own shape, its state's eyes. */
export function AgentAvatar(props: {
  readonly agent: StatusFields & Pick<AgentRecord, 'id' | 'avatarSeed' | 'participantKind'>
  readonly size?: number
}) {
  const now = useNow()
  const { agent, size = 30 } = props
  return (
    <BooAvatar
      seed={seedOf(agent)}
      eyes={agentState(agent, now).eyes}
      person={agent.participantKind === 'human'}
      size={size}
    />
  )
}
