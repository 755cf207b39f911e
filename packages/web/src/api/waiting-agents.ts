import { createValueStore } from '../ui/state/value-store.ts'

/** The agents that wait for a person's answer. The whole page shares this set. */
export const waitingAgents = createValueStore<ReadonlySet<string>>(new Set())

/** Keeps the existing set when the same agents wait, so that nothing renders again. */
export function setWaitingAgents(agentIds: Iterable<string>): void {
  const next = new Set(agentIds)
  const now = waitingAgents.get()
  if (next.size !== now.size || [...next].some((id) => !now.has(id))) waitingAgents.set(next)
}
