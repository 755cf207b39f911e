import type { AgentRecord, SessionRecord } from '@clawboo/core/registry'
import { count, list, object, text } from './gateway/gateway-frames.ts'

/** The answer of `sessions.list` for one agent. */
export function readSessionList(answer: unknown, agent: AgentRecord): SessionRecord[] {
  return list(object(answer).sessions).flatMap((row) => {
    const { key, label, derivedTitle, hasActiveRun, archived, startedAt, updatedAt } = object(row)
    if (text(key) === '') return []
    return [
      {
        id: text(key),
        agentId: agent.id,
        sourceSessionId: text(key),
        title: text(label) || text(derivedTitle) || null,
        status: hasActiveRun === true ? 'active' : archived === true ? 'closed' : 'idle',
        createdAt: count(startedAt) || count(updatedAt),
        updatedAt: count(updatedAt),
      } satisfies SessionRecord,
    ]
  })
}
