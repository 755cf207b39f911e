/** A message to or from a model, as the transcript stores it. Field names follow version 3 of the transcript format. */
export type Message = UserMessage | AssistantMessage | ToolResultMessage

export interface UserMessage {
  readonly role: 'user'
  readonly content: readonly (TextContent | ImageContent)[]
  /** Milliseconds. */
  readonly timestamp: number
  /** The id of the accepted prompt. It identifies a second delivery of the same prompt. */
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

/** Data that a provider needs back unchanged, such as the signature of its reasoning, by provider name. */
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
  /** Input tokens that did not come from a cache. */
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly totalTokens: number
  /** null = unknown price. */
  readonly costUsd: number | null
}
