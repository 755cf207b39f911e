import type { DoneEvent } from '@clawboo/core/executor'
import type { AssistantMessage, Message, ToolCallContent, ToolResultMessage, Usage } from '../session/message.ts'
import type { ToolContext, ToolResult } from '../tools/tool.ts'

/** What the loop needs of a session. A message is delivered when `append` has resolved: then it is in the file. */
export interface LoopSession {
  hasMessage(messageId: string): boolean
  /** All of them or none, in order. */
  append(messages: readonly Message[]): Promise<void>
  /** Makes what was appended survive a power cut. */
  sync(): Promise<void>
}

/** One model call over all candidates, as the loop sees it. */
export type AnswerEvent =
  /** A try begins; what an earlier one said does not count. */
  | { readonly t: 'attempt'; readonly provider: string; readonly model: string }
  | { readonly t: 'text'; readonly delta: string }
  | { readonly t: 'thinking'; readonly delta: string }
  | { readonly t: 'notice'; readonly state: 'retrying' | 'model-changed' | 'notice'; readonly detail: string }
  | ({ readonly t: 'done' } & Answer)
  | { readonly t: 'failed'; readonly overflow: boolean; readonly message: string }

export interface Answer {
  readonly content: AssistantMessage['content']
  readonly stopReason: AssistantMessage['stopReason']
  readonly provider: string
  readonly model: string
  readonly usage: Usage
  readonly contextWindowTokens: number | null
}

export interface ModelName {
  readonly provider: string
  readonly model: string
}

export interface LoopModel {
  /** Never rejects: what went wrong is `failed`, and an abort simply ends the iteration. */
  answer(messages: readonly Message[], signal: AbortSignal): AsyncIterable<AnswerEvent>
  /** What a call that broke off is taken to have used: the vendor counts it and tells nobody. */
  usageOfPart?(messages: readonly Message[], ref: ModelName, text: string): Promise<Usage>
}

/** Keeps the conversation within the model's window. */
export interface LoopContext {
  /** The messages to send now, after pruning and compaction where they are due. */
  prepare(signal: AbortSignal): Promise<Prepared>
  /** After a provider said that it was too much. False = nothing more can be done. */
  shrink(signal: AbortSignal): Promise<boolean>
}

export type Prepared =
  | { readonly kind: 'ready'; readonly messages: readonly Message[] }
  | { readonly kind: 'too-large'; readonly message: string }
  /** Summarising is a model call too, and one was refused. */
  | { readonly kind: 'stopped'; readonly because: Pick<DoneEvent, 'reason' | 'detail'> }

export interface LoopTools {
  /** Never rejects. Settles soon after the signal fired. */
  run(call: ToolCallContent, context: ToolContext): Promise<ToolResult>
  /** One line for a person at the start of a call; null = nothing is told. */
  startSummary(call: ToolCallContent): string | null
  endSummary(call: ToolCallContent, result: ToolResult): string | null
}

/** Where the text of an answer goes, as it comes or in blocks. */
export interface LoopText {
  delta(message: number, offset: number, text: string): void
  /** Resolves when all of the message has been passed on. */
  end(message: number): Promise<void>
}

/** Watches for rounds that lead nowhere. */
export interface LoopRepeatGuard {
  /** After each batch; a text stops the run and says why. */
  observe(calls: readonly ToolCallContent[], results: readonly ToolResultMessage[]): RoundVerdict
}

export type RoundVerdict =
  | { readonly kind: 'go-on'; readonly warning?: string }
  | { readonly kind: 'stop'; readonly reason: 'repeat_limit' | 'tool_errors_limit'; readonly detail: string }
