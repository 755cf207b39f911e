import type { AgentRecord } from '@clawboo/core/registry'
import { Pill } from '../../ui/pill.tsx'
import { useNow } from '../../ui/state/use-now.ts'
import { shortAge } from '../../ui/words/time-words.ts'
import { useAgentState } from './agent-look.tsx'
import type { StatusFields } from './agent-state.ts'
import { isYou } from './participant-name.ts'

type Worker = StatusFields & Pick<AgentRecord, 'id'>

/** The progress of an attempt. Waiting for a person looks the same as everywhere. */
export function WorkPill(props: {
  readonly work: { readonly agentId: string; readonly startedAt: number }
  readonly agent: Worker | undefined
}) {
  const { work, agent } = props
  const age = shortAge(useNow() - work.startedAt)
  if (isYou({ kind: 'person', id: work.agentId })) return <Pill tone="needs">{`With you · ${age}`}</Pill>
  return agent ? <BooPill agent={agent} age={age} /> : <Pill tone="working">{`Working · ${age}`}</Pill>
}

function BooPill({ agent, age }: { agent: Worker; age: string }) {
  const state = useAgentState(agent)
  if (state.kind === 'waiting') return <Pill tone="needs">{state.word}</Pill>
  return <Pill tone="working">{`Working · ${age}`}</Pill>
}
