import { ClawbooError } from '@clawboo/core'
import type { RefusedAgent } from '@clawboo/core/registry'
import { findAuthorIdProblem } from '@clawboo/core/team-chat'

const REASON_CHARACTERS = 200
/** A broken upstream must not flood the audit log. */
const MOST_NAMED = 20

/** An agent's id appears before its posts in a room, so it is checked before the agent is created. */
export function checkAgentId(id: string): void {
  const problem = findAuthorIdProblem(id)
  if (problem === null) return
  const shown = shortId(id)
  throw new ClawbooError('agent_config_invalid', `an agent cannot have the id ${JSON.stringify(shown)}: ${problem}`, {
    details: { field: 'id', agentId: shown },
  })
}

/** The refused agents as they are stored and shown: the first few, with bounded ids. */
export function namedRefusals(refused: readonly RefusedAgent[]): readonly RefusedAgent[] {
  const reasons = new Map(refused.map(({ sourceAgentId, reason }) => [shortId(sourceAgentId), reason]))
  return [...reasons].slice(0, MOST_NAMED).map(([sourceAgentId, reason]) => ({ sourceAgentId, reason }))
}

function shortId(id: string): string {
  return id.slice(0, REASON_CHARACTERS).toWellFormed()
}
