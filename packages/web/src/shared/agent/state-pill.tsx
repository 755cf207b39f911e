import { Pill } from '../../ui/pill.tsx'
import type { AgentState } from './agent-state.ts'

export function StatePill({ state }: { state: AgentState }) {
  return (
    <Pill tone={state.tone}>
      {state.kind === 'working' ? <span className="size-1.5 rounded-full bg-current" /> : null}
      {state.pill}
    </Pill>
  )
}
