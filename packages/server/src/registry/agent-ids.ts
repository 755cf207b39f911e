import { ClawbooError } from '@clawboo/core'
import type { RefusedAgent, UpstreamAgent } from '@clawboo/core/registry'
import { findAuthorIdProblem } from '@clawboo/core/team-chat'

const REASON_CHARACTERS = 200
/** A broken upstream must not flood the audit log. */
const MOST_NAMED = 20

/** An agent's id appears before its posts in a room, so it is checked before the agent is created. */
export function checkAgentId(id: string): void {
  const problem = findAuthorIdProblem(id)
  if (problem === null) return
  const shown = id.slice(0, REASON_CHARACTERS).toWellFormed()
  throw new ClawbooError('agent_config_invalid', `an agent cannot have the id ${JSON.stringify(shown)}: ${problem}`, {
    details: { field: 'id', agentId: shown },
  })
}

interface SortedAgents {
  readonly agents: readonly UpstreamAgent[]
  /** The agents that were left out; all others sync normally. */
  readonly refused: readonly RefusedAgent[]
  /** The ids that were checked. */
  newId(sourceAgentId: string): string
}

/** Separates the agents of an upstream that could only get an invalid id. */
export function sortOutAgents(
  listed: readonly UpstreamAgent[],
  newId: (sourceAgentId: string) => string,
  isKnown: (sourceAgentId: string) => boolean,
): SortedAgents {
  const ids = new Map<string, string>()
  const idOf = (sourceAgentId: string) => {
    const id = ids.get(sourceAgentId) ?? newId(sourceAgentId)
    ids.set(sourceAgentId, id)
    return id
  }
  const refused = new Map<string, string>()
  const agents = listed.filter(({ sourceAgentId }) => {
    const problem = isKnown(sourceAgentId) ? null : findAuthorIdProblem(idOf(sourceAgentId))
    if (problem !== null) refused.set(sourceAgentId.slice(0, REASON_CHARACTERS).toWellFormed(), problem)
    return problem === null
  })
  const named = [...refused].slice(0, MOST_NAMED).map(([sourceAgentId, reason]) => ({ sourceAgentId, reason }))
  return { agents, refused: named, newId: idOf }
}
