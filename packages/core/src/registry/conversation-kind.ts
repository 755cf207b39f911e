/**
 * The participants of a conversation. In a room and for a task other agents speak too; their text must not change an
 * agent's identity or abilities.
 */
export type ConversationKind = 'person' | 'room' | 'task'

export function conversationKind(agentId: string, sessionKey: string): ConversationKind {
  const prefix = `agent:${agentId}:`
  const rest = sessionKey.startsWith(prefix) ? sessionKey.slice(prefix.length) : ''
  if (rest.startsWith('room:')) return 'room'
  return rest.startsWith('task:') ? 'task' : 'person'
}
