import type {
  LanguageModelV4ReasoningPart,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import type { AssistantMessage, ProviderOptions } from '../../session/message.ts'
import type { PromptTarget } from './prompt-target.ts'
import type { CallIds } from './tool-call-id.ts'
import { safeToolName } from './tool-name.ts'

export type AssistantPart = LanguageModelV4TextPart | LanguageModelV4ReasoningPart | LanguageModelV4ToolCallPart

/** State that is kept while a history is converted. */
export interface HistoryReader {
  readonly ids: CallIds
  readonly target: PromptTarget
  /** Whether the current message came after the last message of a person. */
  isAfterLastPrompt: boolean
  hasThinking: boolean
}

/**
 * Converts an earlier answer for the model that is called now. Thinking, signatures and item ids go back only to the model
 * that produced them, and only from a completed answer, because vendors refuse others.
 */
export function assistantParts(message: AssistantMessage, reader: HistoryReader): AssistantPart[] {
  const { ids, target } = reader
  const isOwn =
    message.provider === target.row.id &&
    message.model === target.model &&
    message.stopReason !== 'error' &&
    message.stopReason !== 'aborted' &&
    target.dropThinking !== true
  // Servers with the Chat protocol need the thinking since the last prompt, and refuse or waste older thinking.
  const showsThinking = target.row.wire !== 'openai-compatible' || reader.isAfterLastPrompt
  const parts: AssistantPart[] = []
  for (const part of message.content) {
    const options = isOwn ? storedOptions(part.providerOptions) : {}
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

/** Stored options came from the same package as JSON and go back to it unchanged. */
function storedOptions(options: ProviderOptions | undefined): { providerOptions?: SharedV4ProviderOptions } {
  return options === undefined ? {} : { providerOptions: options as SharedV4ProviderOptions }
}
