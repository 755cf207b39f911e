/** The conversation of an agent in a room: every turn of it goes on in the same one. */
export function roomConversation(agentId: string, roomId: string): string {
  return `agent:${agentId}:room:${roomId}`
}
