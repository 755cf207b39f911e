/** One message of a conversation as the scripted model sees it. Images and other parts without text are left out. */
export interface ScriptedMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly text: string
  /** Of an assistant message. */
  readonly toolCalls?: readonly ScriptedToolCall[]
  /** Of a tool message: the call it answers. */
  readonly callId?: string
  /** Of a tool message, where the caller knows it. */
  readonly isError?: boolean
}

export interface ScriptedToolCall {
  readonly id: string
  readonly tool: string
  /** JSON, as the model wrote it; may be broken. */
  readonly input: string
}

export interface OfferedTool {
  readonly name: string
  /** JSON Schema; only the names of its properties are looked at. */
  readonly inputSchema?: unknown
}

export interface ScriptedRequest {
  readonly messages: readonly ScriptedMessage[]
  readonly tools: readonly OfferedTool[]
  /** The model's id as the caller asked for it. */
  readonly model?: string
}

/** `cacheRead` is a part of `input`, `reasoning` a part of `output`. */
export interface ScriptedUsage {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly reasoning: number
}
