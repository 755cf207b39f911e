import { isObject } from './entry.ts'
import type {
  AssistantMessage,
  ImageContent,
  Message,
  ProviderOptions,
  TextContent,
  ThinkingContent,
  ToolCallContent,
  Usage,
} from './message.ts'

const BLANK_USER_TEXT = '(continue)'
const FAILED_ANSWER_TEXT = '[The answer failed before it had any text.]'

/**
 * Reads a message from untrusted JSON. Drops `details` and content parts of an unknown shape.
 * null = a model cannot be shown this message.
 */
export function readMessage(value: unknown): Message | null {
  if (!isObject(value)) return null
  const timestamp = typeof value.timestamp === 'number' ? value.timestamp : 0
  const parts = partsOf(value.content)
  if (parts === null) return null
  switch (value.role) {
    case 'user': {
      const content = parts.flatMap(visiblePart)
      const messageId = typeof value.messageId === 'string' ? { messageId: value.messageId } : {}
      return { role: 'user', content: isBlank(content) ? continueText() : content, timestamp, ...messageId }
    }
    case 'assistant':
      return readAssistant(value, parts, timestamp)
    case 'toolResult': {
      const { toolCallId, toolName } = value
      if (typeof toolCallId !== 'string' || toolCallId === '' || typeof toolName !== 'string') return null
      const content = parts.flatMap(visiblePart)
      return { role: 'toolResult', toolCallId, toolName, content, isError: value.isError === true, timestamp }
    }
    default:
      return null
  }
}

/** Fills in a text where a provider would reject the message: for a blank prompt and for a failed, empty answer. */
export function storable<Value extends { readonly role?: unknown; readonly content?: unknown }>(message: Value): Value {
  if (message.role === 'user' && isBlank(message.content)) return { ...message, content: continueText() }
  const { stopReason } = message as { readonly stopReason?: unknown }
  if (message.role !== 'assistant' || stopReason !== 'error' || !Array.isArray(message.content)) return message
  return message.content.length > 0 ? message : { ...message, content: failedText() }
}

export function visibleParts(content: unknown): (TextContent | ImageContent)[] {
  return (partsOf(content) ?? []).flatMap(visiblePart)
}

export function toolCallsOf(message: Message): readonly ToolCallContent[] {
  if (message.role !== 'assistant') return []
  return message.content.filter((part) => part.type === 'toolCall')
}

function readAssistant(
  value: Readonly<Record<string, unknown>>,
  parts: readonly unknown[],
  timestamp: number,
): AssistantMessage {
  const content = parts.flatMap(answerPart)
  const stopReason = STOP_REASONS.find((reason) => reason === value.stopReason) ?? 'stop'
  const errorMessage = typeof value.errorMessage === 'string' ? { errorMessage: value.errorMessage } : {}
  return {
    role: 'assistant',
    content: content.length === 0 && stopReason === 'error' ? failedText() : content,
    provider: typeof value.provider === 'string' ? value.provider : '',
    model: typeof value.model === 'string' ? value.model : '',
    usage: readUsage(value.usage),
    stopReason,
    ...errorMessage,
    timestamp,
  }
}

const STOP_REASONS = ['stop', 'length', 'toolUse', 'error', 'aborted'] as const

function readUsage(value: unknown): Usage {
  const usage = isObject(value) ? value : {}
  const count = (field: unknown) => (typeof field === 'number' && field >= 0 ? field : 0)
  return {
    input: count(usage.input),
    output: count(usage.output),
    cacheRead: count(usage.cacheRead),
    cacheWrite: count(usage.cacheWrite),
    totalTokens: count(usage.totalTokens),
    costUsd: typeof usage.costUsd === 'number' ? usage.costUsd : null,
  }
}

function partsOf(content: unknown): readonly unknown[] | null {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content : null
}

function visiblePart(part: unknown): (TextContent | ImageContent)[] {
  if (!isObject(part)) return []
  if (part.type === 'text') return textPart(part)
  if (part.type !== 'image' || typeof part.mimeType !== 'string' || typeof part.data !== 'string') return []
  return [{ type: 'image', mimeType: part.mimeType, data: part.data }]
}

function textPart(part: Readonly<Record<string, unknown>>): TextContent[] {
  return typeof part.text === 'string' ? [{ type: 'text', text: part.text, ...optionsOf(part) }] : []
}

/** Drops a call without an id, a name or arguments: no result could refer to it. */
function answerPart(part: unknown): (TextContent | ThinkingContent | ToolCallContent)[] {
  if (!isObject(part)) return []
  if (part.type === 'text') return textPart(part)
  if (part.type === 'thinking') {
    return typeof part.thinking === 'string' ? [{ type: 'thinking', thinking: part.thinking, ...optionsOf(part) }] : []
  }
  const { id, name, arguments: input } = part
  if (part.type !== 'toolCall' || typeof id !== 'string' || typeof name !== 'string' || !isObject(input)) return []
  return id === '' || name === '' ? [] : [{ type: 'toolCall', id, name, arguments: input, ...optionsOf(part) }]
}

function optionsOf(part: Readonly<Record<string, unknown>>): { providerOptions?: ProviderOptions } {
  return isObject(part.providerOptions) ? { providerOptions: part.providerOptions as ProviderOptions } : {}
}

function isBlank(content: unknown): boolean {
  if (typeof content === 'string') return content.trim() === ''
  const isBlankPart = (part: unknown) =>
    isObject(part) && part.type === 'text' && typeof part.text === 'string' && part.text.trim() === ''
  return Array.isArray(content) && content.every(isBlankPart)
}

function continueText(): TextContent[] {
  return [{ type: 'text', text: BLANK_USER_TEXT }]
}

function failedText(): TextContent[] {
  return [{ type: 'text', text: FAILED_ANSWER_TEXT }]
}
