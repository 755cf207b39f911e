import type { DoneEvent } from '@clawboo/core/executor'
import type { Candidate } from '../models/failover/failover.ts'
import type { AssistantMessage, Message, ToolCallContent, ToolResultMessage, Usage } from '../session/message.ts'
import type { ToolContext, ToolResult } from '../tools/tool.ts'

/** The part of a session that the loop uses. A message counts as delivered once `append` has resolved. */
export interface LoopSession {
  hasMessage(messageId: string): boolean
  /** Writes all messages, in order, or none. */
  append(messages: readonly Message[]): Promise<void>
  /** After this resolves, appended messages survive a power cut. */
  sync(): Promise<void>
}

/** The events of one model call, across all candidates. */
export type AnswerEvent =
  /** A new try starts. Discard the text of the earlier try. */
  | { readonly t: 'attempt'; readonly provider: string; readonly model: string }
  | { readonly t: 'text'; readonly delta: string }
  | { readonly t: 'thinking'; readonly delta: string }
  | { readonly t: 'notice'; readonly state: 'retrying' | 'model-changed' | 'notice'; readonly detail: string }
  | ({ readonly t: 'done' } & Answer)
  | { readonly t: 'failed'; readonly overflow: boolean; readonly message: string }

export interface Answer extends Pick<AssistantMessage, 'content' | 'stopReason' | 'provider' | 'model' | 'usage'> {
  readonly contextWindowTokens: number | null
}

export interface LoopModel {
  /** Never rejects: an error is a `failed` event, and an abort ends the iteration. */
  answer(messages: readonly Message[], signal: AbortSignal): AsyncIterable<AnswerEvent>
  /** Estimates the usage of a call that was cut off: the provider bills it but reports no numbers. */
  estimatePartialUsage?(messages: readonly Message[], ref: Candidate, text: string): Promise<Usage>
}

/** Keeps the conversation within the model's window. */
export interface LoopContext {
  /** Prunes and compacts when due, then returns the messages to send. */
  prepare(signal: AbortSignal): Promise<Prepared>
  /** Makes room after a provider rejected the prompt as too long. False = no more room can be made. */
  shrink(signal: AbortSignal): Promise<boolean>
}

export type Prepared =
  | { readonly kind: 'ready'; readonly messages: readonly Message[] }
  | { readonly kind: 'too-large'; readonly message: string }
  /** A summary needs a model call, and the guard refused it. */
  | { readonly kind: 'stopped'; readonly because: Pick<DoneEvent, 'reason' | 'detail'> }

export interface LoopTools {
  /** Never rejects. Settles soon after the signal is aborted. */
  run(call: ToolCallContent, context: ToolContext): Promise<ToolResult>
  /** One line for a person at the start of a call; null = show nothing. */
  startSummary(call: ToolCallContent): string | null
  endSummary(call: ToolCallContent, result: ToolResult): string | null
}

/** Receives the text of an answer and passes it on, delta by delta or in blocks. */
export interface LoopText {
  delta(message: number, text: string): void
  /** Passes on the rest of the message. */
  end(message: number): void
}

/** Detects an agent that repeats the same tool calls without progress. */
export interface LoopRepeatGuard {
  /** Called after each batch of tool calls. `stop` ends the run. */
  observe(calls: readonly ToolCallContent[], results: readonly ToolResultMessage[]): RoundVerdict
}

export type RoundVerdict =
  | { readonly kind: 'go-on'; readonly warning?: string }
  | { readonly kind: 'stop'; readonly reason: 'repeat_limit' | 'tool_errors_limit'; readonly detail: string }
