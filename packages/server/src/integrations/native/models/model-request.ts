import type { AssistantMessage, Message, Usage } from '../session/message.ts'
import type { Tool } from '../tools/tool.ts'

/** What one call of a model is given. Nothing in it is changed or kept. */
export interface ModelRequest {
  /** `text` up to `cacheBoundary` is the same from call to call. */
  readonly system: { readonly text: string; readonly cacheBoundary: number }
  readonly messages: readonly Message[]
  readonly tools: readonly Pick<Tool, 'name' | 'description' | 'inputSchema'>[]
  readonly maxOutputTokens?: number
  readonly temperature?: number
  readonly reasoning?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh'
  /** The same for calls with the same beginning, such as the session's id: helps a vendor to find its cache. */
  readonly cacheKey?: string
}

/** One call as it happens: deltas, then exactly one `done` or `failed`. */
export type ModelEvent =
  | { readonly type: 'text' | 'thinking'; readonly delta: string }
  | { readonly type: 'toolArgs'; readonly callId: string; readonly toolName: string; readonly delta: string }
  | ModelDone
  | ModelFailed

export type AssistantContent = AssistantMessage['content']

export interface ModelDone {
  readonly type: 'done'
  /** Text, thinking and calls in the order they came. */
  readonly content: AssistantContent
  /** `toolUse` exactly when `content` holds a call. */
  readonly stopReason: 'stop' | 'length' | 'toolUse'
  readonly usage: Usage
  /** The raw text of arguments that were no JSON object, by call id. Such a call stands in `content` with `{}`. */
  readonly badArguments: Readonly<Record<string, string>>
  /** The vendor's filter ended the answer. */
  readonly isRefusal: boolean
  /** What the protocol package could not send as asked. */
  readonly warnings: readonly string[]
}

export interface ModelFailed extends ModelFailure {
  readonly type: 'failed'
  /** What had been said by then, without calls: those are never to be run. */
  readonly content: AssistantContent
  /** What the vendor counted by then; null when it said nothing. */
  readonly usage: Usage | null
}

export type FailureKind =
  | 'auth'
  | 'rate_limit'
  | 'overloaded'
  | 'timeout'
  | 'billing'
  | 'context_overflow'
  | 'format'
  | 'aborted'
  | 'network'
  | 'unknown'

export interface ModelFailure {
  readonly kind: FailureKind
  readonly aborted: boolean
  /** The same call may work a moment later. */
  readonly retryable: boolean
  /** The HTTP status; null when there was no answer. */
  readonly status: number | null
  readonly retryAfterMs: number | null
  /** For a person; holds no key and nothing of the prompt. */
  readonly message: string
}
