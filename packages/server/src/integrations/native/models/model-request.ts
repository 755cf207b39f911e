import type { AssistantMessage, Message, Usage } from '../session/message.ts'
import type { Tool } from '../tools/tool.ts'

/** The input of one model call. It is neither changed nor stored. */
export interface ModelRequest {
  /** `text` up to `cacheBoundary` is identical in every call. */
  readonly system: { readonly text: string; readonly cacheBoundary: number }
  readonly messages: readonly Message[]
  readonly tools: readonly Pick<Tool, 'name' | 'description' | 'inputSchema'>[]
  readonly maxOutputTokens?: number
  readonly temperature?: number
  readonly reasoning?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh'
  /** Identifies calls with the same beginning, for example by the session id, so that a vendor finds its cache. */
  readonly cacheKey?: string
}

/** The events of one model call: deltas, then exactly one `done` or `failed`. */
export type ModelEvent =
  | { readonly type: 'text' | 'thinking'; readonly delta: string }
  | { readonly type: 'toolArgs'; readonly callId: string; readonly toolName: string; readonly delta: string }
  | ModelDone
  | ModelFailed

export type AssistantContent = AssistantMessage['content']

export interface ModelDone {
  readonly type: 'done'
  /** Text, thinking and tool calls in order of arrival. */
  readonly content: AssistantContent
  /** `toolUse` exactly when `content` contains a tool call. */
  readonly stopReason: 'stop' | 'length' | 'toolUse'
  readonly usage: Usage
  /** The raw text of arguments that are not a JSON object, by call id. Such a call has `{}` as its arguments. */
  readonly badArguments: Readonly<Record<string, string>>
  /** The vendor's content filter ended the answer. */
  readonly isRefusal: boolean
  /** Settings that the protocol package could not send. */
  readonly warnings: readonly string[]
}

export interface ModelFailed extends ModelFailure {
  readonly type: 'failed'
  /** The answer so far without tool calls, which must never run. */
  readonly content: AssistantContent
  /** The usage that the vendor reported; null = none. */
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
  /** The HTTP status; null = no answer. */
  readonly status: number | null
  readonly retryAfterMs: number | null
  /** For a person. Contains no key and no part of the prompt. */
  readonly message: string
}
