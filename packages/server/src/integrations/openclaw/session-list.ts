import type { AgentRecord, SessionRecord } from '@clawboo/core/registry'
import { count, list, object, plain, text } from './gateway/gateway-frames.ts'

/** Where an agent and whoever owns the Gateway talk. */
const MAIN = 'Main session'

/** The answer of `sessions.list` for one agent. */
export function readSessionList(answer: unknown, agent: AgentRecord): SessionRecord[] {
  const sessions = list(object(answer).sessions).flatMap((row) => {
    const { key, label, derivedTitle, classification, hasActiveRun, archived, startedAt, updatedAt } = object(row)
    if (text(key) === '') return []
    return [
      {
        id: text(key),
        agentId: agent.id,
        sourceSessionId: text(key),
        title: plain(label) || plain(derivedTitle) || (key === agent.sessionKey ? MAIN : plain(classification)) || null,
        status: hasActiveRun === true ? 'active' : archived === true ? 'closed' : 'idle',
        createdAt: count(startedAt) || count(updatedAt),
        updatedAt: count(updatedAt),
      } satisfies SessionRecord,
    ]
  })
  return sessions.sort((one, other) => other.updatedAt - one.updatedAt)
}
