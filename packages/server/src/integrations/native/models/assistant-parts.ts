import type {
  LanguageModelV4ReasoningPart,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import type { AssistantMessage, ProviderOptions } from '../session/message.ts'
import type { PromptTarget } from './to-provider-prompt.ts'
import type { CallIds } from './tool-call-id.ts'
import { safeToolName } from './tool-name.ts'

export type AssistantPart = LanguageModelV4TextPart | LanguageModelV4ReasoningPart | LanguageModelV4ToolCallPart

/** What reading a history keeps from message to message. */
export interface HistoryReader {
  readonly ids: CallIds
  readonly target: PromptTarget
  /** Whether the message being read came after the last one of a person. */
  isCurrentTurn: boolean
  hasThinking: boolean
}

/**
 * What a model once said, as the model that is asked now may be shown it. Thinking, signatures and item ids go back
 * only to the very model that made them, and only from an answer that came to its end: vendors refuse others'.
 */
export function assistantParts(message: AssistantMessage, reader: HistoryReader): AssistantPart[] {
  const { ids, target } = reader
  const isOwn =
    message.provider === target.row.id &&
    message.model === target.model &&
    message.stopReason !== 'error' &&
    message.stopReason !== 'aborted' &&
    target.dropThinking !== true
  // Servers of the Chat protocol want the thinking of the turn they are in, and refuse or waste older one.
  const showsThinking = target.row.wire !== 'openai-compatible' || reader.isCurrentTurn
  const parts: AssistantPart[] = []
  for (const part of message.content) {
    const options = isOwn ? kept(part.providerOptions) : {}
    if (part.type === 'text') {
      if (part.text !== '') parts.push({ type: 'text', text: part.text, ...options })
    } else if (part.type === 'toolCall') {
      const toolCallId = ids.ofCall(part.id)
      parts.push({
        type: 'tool-call',
        toolCallId,
        toolName: safeToolName(part.name),
        input: part.arguments,
        ...options,
      })
    } else if (isOwn && showsThinking && (part.thinking !== '' || part.providerOptions !== undefined)) {
      parts.push({ type: 'reasoning', text: part.thinking, ...options })
      reader.hasThinking = true
    }
  }
  return parts
}

/** What was stored came from the same package as JSON, and goes back to it as it is. */
function kept(options: ProviderOptions | undefined): { providerOptions?: SharedV4ProviderOptions } {
  return options === undefined ? {} : { providerOptions: options as SharedV4ProviderOptions }
}
