import type { Message } from '../session/message.ts'

/**
 * The index of the first message that a compaction keeps, about `keepTokens` before the end. Never the index of a tool
 * result, which must stay with its call. 0 keeps everything; the length keeps nothing.
 */
export function chooseCut(
  messages: readonly Message[],
  keepTokens: number,
  tokensOf: (message: Message) => number,
): number {
  if (keepTokens <= 0) return messages.length
  let kept = 0
  let at = messages.length
  while (at > 0 && kept < keepTokens) kept += tokensOf(messages[--at]!)
  if (kept < keepTokens) return 0
  for (let cut = at; cut < messages.length; cut++) if (mayBeFirst(messages[cut]!)) return cut
  for (let cut = at; cut > 0; cut--) if (mayBeFirst(messages[cut]!)) return cut
  return 0
}

function mayBeFirst(message: Message): boolean {
  return message.role !== 'toolResult'
}
