import { ClawbooError } from '@clawboo/core'
import type { IntegrationHost } from '../host.ts'
import { type AgentDesk, createAgentDesk } from './agent-desk.ts'

/** The number of idle conversations that stay open, because reopening one reads its file. */
const KEPT_OPEN = 16

/** The desks of all agents that have run here, and their open conversations. */
export interface OpenDesks {
  /** Throws `server_stopping` once everything is closed. */
  of(agentId: string): AgentDesk
  isOpen(desk: AgentDesk): boolean
  /** Marks the conversation as used and closes the idle ones that were unused the longest. */
  used(desk: AgentDesk, sessionKey: string): void
  forgetConversation(desk: AgentDesk, sessionKey: string): void
  /** Removes and returns the desk; the caller disposes of it. */
  take(agentId: string): AgentDesk | null
  takeAll(): readonly AgentDesk[]
  readonly isClosed: boolean
}

export function createOpenDesks(
  host: IntegrationHost,
  isBusy: (agentId: string, sessionKey: string) => boolean,
): OpenDesks {
  const desks = new Map<string, AgentDesk>()
  /** In order of last use. */
  const recent = new Map<string, { readonly desk: AgentDesk; readonly sessionKey: string }>()
  let isClosed = false

  return {
    get isClosed() {
      return isClosed
    },
    of(agentId) {
      if (isClosed) throw new ClawbooError('server_stopping', 'the runtime has been stopped')
      const desk = desks.get(agentId) ?? createAgentDesk(host, agentId)
      desks.set(agentId, desk)
      return desk
    },
    isOpen: (desk) => desks.get(desk.agentId) === desk,
    used(desk, sessionKey) {
      const key = conversationKey(desk.agentId, sessionKey)
      recent.delete(key)
      recent.set(key, { desk, sessionKey })
      for (const [oldest, conversation] of recent) {
        if (recent.size <= KEPT_OPEN) break
        if (isBusy(conversation.desk.agentId, conversation.sessionKey)) continue
        recent.delete(oldest)
        void conversation.desk.closeSession(conversation.sessionKey).catch(() => {})
      }
    },
    forgetConversation: (desk, sessionKey) => void recent.delete(conversationKey(desk.agentId, sessionKey)),
    take(agentId) {
      const desk = desks.get(agentId) ?? null
      desks.delete(agentId)
      for (const [key, conversation] of recent) if (conversation.desk === desk) recent.delete(key)
      return desk
    },
    takeAll() {
      isClosed = true
      const open = [...desks.values()]
      desks.clear()
      return open
    },
  }
}

export function conversationKey(agentId: string, sessionKey: string): string {
  return `${agentId}\n${sessionKey}`
}
