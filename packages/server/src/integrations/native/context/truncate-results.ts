import type { Message, ToolResultMessage } from '../session/message.ts'
import { headOf, tailOf } from './cut-text.ts'
import { CHARS_PER_TOKEN } from './token-estimate.ts'

const TAIL_SHARE = 0.3

/** How many tokens truncating results to `maxChars` would free. */
export function reducibleTokens(messages: readonly Message[], maxChars: number): number {
  let chars = 0
  for (const message of messages) {
    if (message.role === 'toolResult') chars += Math.max(0, lengthOf(message) - maxChars)
  }
  return Math.floor(chars / CHARS_PER_TOKEN)
}

/** Truncates every longer result to `maxChars`, for one request. */
export function truncateResults(messages: readonly Message[], maxChars: number): readonly Message[] {
  return messages.map((message) => (message.role === 'toolResult' ? cutResult(message, maxChars) : message))
}

function cutResult(result: ToolResultMessage, maxChars: number): ToolResultMessage {
  const text = textOf(result)
  if (text.length <= maxChars) return result
  const notice = `\n[${text.length - maxChars} characters or more of this result were left out]\n`
  const room = Math.max(0, maxChars - notice.length)
  const tail = Math.floor(room * TAIL_SHARE)
  const short = headOf(`${headOf(text, room - tail)}${notice}${tailOf(text, tail)}`, maxChars)
  return {
    ...result,
    content: [{ type: 'text', text: short }, ...result.content.filter((part) => part.type === 'image')],
  }
}

function textOf(result: ToolResultMessage): string {
  return result.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

/** The length of `textOf` without building the text, because this runs for every result before every model call. */
function lengthOf(result: ToolResultMessage): number {
  let length = -1
  for (const part of result.content) if (part.type === 'text') length += part.text.length + 1
  return Math.max(0, length)
}
