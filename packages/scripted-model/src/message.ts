/** One message of a conversation as the scripted model sees it, without images and other parts that are not text. */
export interface ScriptedMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly text: string
  /** For an assistant message. */
  readonly toolCalls?: readonly ScriptedToolCall[]
  /** For a tool message: the call it answers. */
  readonly callId?: string
  /** For a tool message, where the caller knows it. */
  readonly isError?: boolean
}

export interface ScriptedToolCall {
  readonly id: string
  readonly tool: string
  /** JSON as the model wrote it; may be invalid. */
  readonly input: string
}

export interface OfferedTool {
  readonly name: string
  /** JSON Schema; only the names of its properties are used. */
  readonly inputSchema?: unknown
}

export interface ScriptedRequest {
  readonly messages: readonly ScriptedMessage[]
  readonly tools: readonly OfferedTool[]
  /** The model id in the request. */
  readonly model?: string
}

/** `cacheRead` is part of `input`, `reasoning` part of `output`. */
export interface ScriptedUsage {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly reasoning: number
}
