/** What a model is shown and what it says, as a transcript keeps it. Field names follow the version 3 transcript. */
export type Message = UserMessage | AssistantMessage | ToolResultMessage

export interface UserMessage {
  readonly role: 'user'
  readonly content: readonly (TextContent | ImageContent)[]
  /** Milliseconds. */
  readonly timestamp: number
  /** The id under which the message was accepted: what makes a second delivery of it recognisable. */
  readonly messageId?: string
}

export interface AssistantMessage {
  readonly role: 'assistant'
  readonly content: readonly (TextContent | ThinkingContent | ToolCallContent)[]
  readonly provider: string
  readonly model: string
  readonly usage: Usage
  readonly stopReason: 'stop' | 'length' | 'toolUse' | 'error' | 'aborted'
  readonly errorMessage?: string
  readonly timestamp: number
}

export interface ToolResultMessage {
  readonly role: 'toolResult'
  readonly toolCallId: string
  readonly toolName: string
  readonly content: readonly (TextContent | ImageContent)[]
  readonly isError: boolean
  /** For the page and the record; never sent to a model. */
  readonly details?: unknown
  readonly timestamp: number
}

/** What a provider wants back unchanged, such as the signature of its own reasoning, by provider name. */
export type ProviderOptions = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export interface TextContent {
  readonly type: 'text'
  readonly text: string
  readonly providerOptions?: ProviderOptions
}

export interface ImageContent {
  readonly type: 'image'
  readonly mimeType: string
  /** base64 */
  readonly data: string
}

export interface ThinkingContent {
  readonly type: 'thinking'
  readonly thinking: string
  readonly providerOptions?: ProviderOptions
}

export interface ToolCallContent {
  readonly type: 'toolCall'
  readonly id: string
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
  readonly providerOptions?: ProviderOptions
}

export interface Usage {
  /** Tokens read that no cache held. */
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly totalTokens: number
  /** null = the price is not known. */
  readonly costUsd: number | null
}
