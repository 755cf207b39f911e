import { createHash } from 'node:crypto'
import type { AgentRecord } from '@clawboo/core/registry'

/** The Gateway's key for a conversation: its own ids instead of ours, and always one of this agent. */
export function upstreamSessionKey(agent: AgentRecord, sessionKey: string): string {
  const theirs = keysOf(agent.sourceAgentId)
  if (sessionKey === agent.sessionKey && sessionKey.startsWith(theirs)) return sessionKey
  const ours = `agent:${agent.id}:`
  const rest = sessionKey.startsWith(ours) ? sessionKey.slice(ours.length) : ''
  // Other keys, and keys with signs the Gateway might read in its own way, become one of plain letters.
  return theirs + (/^[a-z0-9][a-z0-9:-]{0,120}$/.test(rest) ? rest : `clawboo:${digest(sessionKey)}`)
}

/** How the Gateway's keys of all conversations of an agent begin. */
export function keysOf(sourceAgentId: string): string {
  return `agent:${sourceAgentId}:`
}

/** The Gateway takes a key once, whatever the session: so a prompt has one of its own in each of them. */
export function promptKey(upstreamKey: string, promptId: string, attempt = 0): string {
  return `clawboo-${digest(`${upstreamKey}\n${promptId}`)}${attempt === 0 ? '' : `-${attempt}`}`
}

/** Whether a run of the Gateway was begun by a prompt of a Clawboo: this one, one before it, or another. */
export function isPromptKey(runId: string): boolean {
  return /^clawboo-[0-9a-f]{32}(?:-\d+)?$/.test(runId)
}

function digest(of: string): string {
  return createHash('sha256').update(of).digest('hex').slice(0, 32)
}
