/**
 * Whose words a conversation holds. In a room and at a task other agents speak too; what they say must not change who
 * an agent is or what it can do.
 */
export type ConversationKind = 'person' | 'room' | 'task'

export function conversationKind(agentId: string, sessionKey: string): ConversationKind {
  const prefix = `agent:${agentId}:`
  const rest = sessionKey.startsWith(prefix) ? sessionKey.slice(prefix.length) : ''
  if (rest.startsWith('room:')) return 'room'
  return rest.startsWith('task:') ? 'task' : 'person'
}
