import type { Message } from '../session/message.ts'
import { headOf } from './cut-text.ts'

const RESULT_MAX_CHARS = 2000

/** Renders a conversation as text for a summary, in pieces of at most `maxChars`. */
export function conversationPieces(messages: readonly Message[], maxChars: number): readonly string[] {
  const pieces: string[] = []
  let current = ''
  const push = (text: string) => {
    if (current !== '' && current.length + text.length + 2 > maxChars) {
      pieces.push(current)
      current = ''
    }
    current = current === '' ? text : `${current}\n\n${text}`
  }
  for (const message of messages) {
    let rest = asText(message)
    while (rest.length > maxChars) {
      const part = headOf(rest, maxChars)
      push(part)
      rest = rest.slice(part.length)
    }
    if (rest !== '') push(rest)
  }
  if (current !== '') pieces.push(current)
  return pieces
}

function asText(message: Message): string {
  switch (message.role) {
    case 'user':
      return `[User] ${visibleText(message.content)}`
    case 'toolResult': {
      const text = visibleText(message.content)
      const shown = text.length > RESULT_MAX_CHARS ? `${headOf(text, RESULT_MAX_CHARS)} […]` : text
      return `[Result of ${message.toolName}${message.isError ? ', failed' : ''}] ${shown}`
    }
    case 'assistant':
      return message.content
        .flatMap((part) => {
          if (part.type === 'text') return [`[Agent] ${part.text}`]
          return part.type === 'toolCall' ? [`[Agent calls ${part.name}] ${JSON.stringify(part.arguments)}`] : []
        })
        .join('\n')
  }
}

function visibleText(content: Extract<Message, { role: 'user' | 'toolResult' }>['content']): string {
  return content.map((part) => (part.type === 'text' ? part.text : '[image]')).join('\n')
}
