import { createHash } from 'node:crypto'
import type { AssistantMessage, Message, ThinkingContent, UserMessage } from './message.ts'
import { pairResults } from './pair-results.ts'
import { BLANK_USER_TEXT } from './read-message.ts'

/** Providers whose demands on a history are the same. */
export type ProviderFamily = 'anthropic' | 'google' | 'mistral' | 'openai-responses' | 'chat-completions'

/**
 * A history as a provider takes it. Nothing of it is written back: another provider may be asked next, and wants other
 * things. The same history gives the same result, so that a provider's cache of it stays valid.
 */
export function historyFor(family: ProviderFamily, messages: readonly Message[]): readonly Message[] {
  const thought = keepThinking(family, pairResults(messages))
  const ids = renameCalls(family, withoutEmptyAnswers(thought))
  switch (family) {
    case 'anthropic':
      return mergeNeighbours(ids, ['user'])
    case 'google':
      return startWithQuestion(mergeNeighbours(ids, ['user', 'assistant']))
    default:
      return ids
  }
}

function keepThinking(family: ProviderFamily, messages: readonly Message[]): readonly Message[] {
  const lastQuestion = messages.findLastIndex((message) => message.role === 'user')
  return messages.map((message, at) => {
    if (message.role !== 'assistant') return message
    const content = message.content.filter(
      (part) => part.type !== 'thinking' || mayStay(family, part, at > lastQuestion),
    )
    return content.length === message.content.length ? message : { ...message, content }
  })
}

/** Reasoning only goes back to whom it came from, and only as a whole with what that provider signed. */
function mayStay(family: ProviderFamily, part: ThinkingContent, isOfThisTurn: boolean): boolean {
  const options = part.providerOptions ?? {}
  switch (family) {
    case 'anthropic':
      return isText(options.anthropic?.signature) || isText(options.anthropic?.redactedData)
    case 'google':
      return options.google !== undefined
    case 'openai-responses':
      return options.openai !== undefined
    default:
      return isOfThisTurn
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function withoutEmptyAnswers(messages: readonly Message[]): readonly Message[] {
  const says = (part: AssistantMessage['content'][number]) => part.type !== 'text' || part.text.trim() !== ''
  return messages.filter((message) => message.role !== 'assistant' || message.content.some(says))
}

/** Gives every call an id the provider accepts and no other call has; its result follows. */
function renameCalls(family: ProviderFamily, messages: readonly Message[]): readonly Message[] {
  const used = new Set<string>()
  let current = new Map<string, string[]>()
  const fresh = (id: string) => {
    for (let attempt = 0; ; attempt++) {
      const candidate = acceptedId(family, id, attempt)
      if (used.has(candidate)) continue
      used.add(candidate)
      return candidate
    }
  }
  return messages.map((message) => {
    if (message.role === 'assistant') {
      current = new Map()
      let changed = false
      const content = message.content.map((part) => {
        if (part.type !== 'toolCall') return part
        const id = fresh(part.id)
        current.set(part.id, [...(current.get(part.id) ?? []), id])
        changed ||= id !== part.id
        return id === part.id ? part : { ...part, id }
      })
      return changed ? { ...message, content } : message
    }
    if (message.role !== 'toolResult') return message
    const toolCallId = current.get(message.toolCallId)?.shift()
    return toolCallId === undefined || toolCallId === message.toolCallId ? message : { ...message, toolCallId }
  })
}

const ACCEPTED: Readonly<Record<ProviderFamily, RegExp>> = {
  anthropic: /^[a-zA-Z0-9_-]{1,64}$/,
  google: /^[a-zA-Z0-9]{1,64}$/,
  mistral: /^[a-zA-Z0-9]{9}$/,
  'openai-responses': /^[a-zA-Z0-9_-]{1,64}$/,
  'chat-completions': /^[a-zA-Z0-9_-]{1,40}$/,
}

function acceptedId(family: ProviderFamily, id: string, attempt: number): string {
  if (attempt === 0 && ACCEPTED[family].test(id)) return id
  const hash = createHash('sha256').update(`${attempt}:${id}`).digest('hex')
  return family === 'mistral' ? hash.slice(0, 9) : `call${hash.slice(0, 28)}`
}

function mergeNeighbours(messages: readonly Message[], roles: readonly Message['role'][]): readonly Message[] {
  const merged: Message[] = []
  for (const message of messages) {
    const last = merged.at(-1)
    if (last === undefined || last.role !== message.role || !roles.includes(message.role)) merged.push(message)
    else if (last.role === 'user' && message.role === 'user') {
      merged[merged.length - 1] = { ...last, content: [...last.content, ...message.content] } satisfies UserMessage
    } else if (last.role === 'assistant' && message.role === 'assistant') {
      merged[merged.length - 1] = { ...message, content: [...last.content, ...message.content] }
    }
  }
  return merged
}

function startWithQuestion(messages: readonly Message[]): readonly Message[] {
  const first = messages[0]
  if (first === undefined || first.role === 'user') return messages
  return [{ role: 'user', content: [{ type: 'text', text: BLANK_USER_TEXT }], timestamp: first.timestamp }, ...messages]
}
