import { createHash } from 'node:crypto'
import type { AgentRecord } from '@clawboo/core/registry'

/** The Gateway's key for a conversation: with the Gateway's ids, and always under this agent. */
export function upstreamSessionKey(agent: AgentRecord, sessionKey: string): string {
  const theirs = keysOf(agent.sourceAgentId)
  if (sessionKey === agent.sessionKey && sessionKey.startsWith(theirs)) return sessionKey
  const ours = `agent:${agent.id}:`
  const rest = sessionKey.startsWith(ours) ? sessionKey.slice(ours.length) : ''
  // Keys with characters that the Gateway might interpret are replaced by a hash.
  return theirs + (/^[a-z0-9][a-z0-9:-]{0,120}$/.test(rest) ? rest : `clawboo:${digest(sessionKey)}`)
}

/** The prefix of all the Gateway's conversation keys of an agent. */
export function keysOf(sourceAgentId: string): string {
  return `agent:${sourceAgentId}:`
}

/** The Gateway accepts a key once across all sessions, so the key includes the session. */
export function promptKey(upstreamKey: string, promptId: string, attempt = 0): string {
  return `clawboo-${digest(`${upstreamKey}\n${promptId}`)}${attempt === 0 ? '' : `-${attempt}`}`
}

/** Whether any Clawboo server's prompt started this Gateway run. */
export function isPromptKey(runId: string): boolean {
  return /^clawboo-[0-9a-f]{32}(?:-\d+)?$/.test(runId)
}

function digest(of: string): string {
  return createHash('sha256').update(of).digest('hex').slice(0, 32)
}
