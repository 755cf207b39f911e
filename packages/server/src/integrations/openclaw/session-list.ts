import type { AgentRecord, SessionRecord } from '@clawboo/core/registry'
import { count, list, object, plain, text } from './gateway/gateway-frames.ts'
import { keysOf, upstreamSessionKey } from './runtime/upstream-keys.ts'

/**
 * Reads the answer of `sessions.list` for one agent, newest first. `ours` are the conversations that are known here.
 */
export function readSessionList(
  answer: unknown,
  agent: AgentRecord,
  ours: readonly SessionRecord[] = [],
): SessionRecord[] {
  const known = new Map(ours.map(({ sourceSessionId, title }) => [upstreamSessionKey(agent, sourceSessionId), title]))
  if (agent.sessionKey !== null) known.set(agent.sessionKey, 'Conversation')
  const sessions = list(object(answer).sessions).flatMap((listed) => {
    const row = object(listed)
    const key = text(row.key)
    if (key === '') return []
    const { label, derivedTitle, createdAt, startedAt, updatedAt } = row
    const session: SessionRecord = {
      id: key,
      agentId: agent.id,
      sourceSessionId: key,
      title: plain(label) || known.get(key) || plain(derivedTitle) || nameIn(key, agent),
      preview: plain(row.lastMessagePreview) || null,
      status: row.hasActiveRun === true ? 'active' : row.archived === true ? 'closed' : 'idle',
      // `startedAt` is the start of the last run; older releases send nothing else.
      createdAt: count(createdAt) || count(startedAt) || count(updatedAt),
      updatedAt: count(updatedAt),
    }
    return [session]
  })
  return sessions.sort((one, other) => other.updatedAt - one.updatedAt)
}

/** A name from the Gateway's key, such as a channel and its members. */
function nameIn(key: string, agent: AgentRecord): string {
  const theirs = keysOf(agent.sourceAgentId)
  return plain(key.startsWith(theirs) ? key.slice(theirs.length) : key).replaceAll(':', ' · ')
}
