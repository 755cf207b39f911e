import type { RunReason } from './run-reason.ts'

/** The events of a run. `seq` strictly increases per stream; exactly one `done` or fatal `error` ends it. */
export type RuntimeEvent = RuntimeEventEnvelope & RuntimeEventBody

export interface RuntimeEventEnvelope {
  readonly runId: string
  /** The runtime's own id of the conversation; null until it is known. */
  readonly sessionId: string | null
  /** Epoch ms. */
  readonly ts: number
  readonly seq: number
}

export type RuntimeEventBody =
  | StatusEvent
  | TextDeltaEvent
  | ReasoningDeltaEvent
  | ToolCallEvent
  | ToolResultEvent
  | ApprovalRequestEvent
  | CostEvent
  | DoneEvent
  | ErrorEvent

export interface StatusEvent {
  readonly type: 'status'
  readonly state:
    | 'started'
    /** The prompt `promptId` is in the runtime's durable record and is never sent again. */
    | 'prompt-delivered'
    | 'model-call'
    | 'retrying'
    | 'model-changed'
    | 'compacting'
    | 'compacted'
    | 'approval-answered'
    | 'notice'
  /** For a person; with `prompt-delivered` it is the prompt's text. */
  readonly detail?: string
  readonly promptId?: string
  readonly approvalId?: string
}

export interface TextDeltaEvent {
  readonly type: 'text-delta'
  /** Counts the assistant's messages within the run, from 0. */
  readonly message: number
  /** Where `text` begins in that message. */
  readonly offset: number
  readonly text: string
  /** Present when the runtime sends whole blocks, each with its own code fences. */
  readonly block?: true
}

export interface ReasoningDeltaEvent {
  readonly type: 'reasoning-delta'
  readonly message: number
  readonly text: string
}

export interface ToolCallEvent {
  readonly type: 'tool-call'
  readonly callId: string
  readonly tool: string
  readonly input: unknown
  /** One line for a person; absent when the agent works quietly. */
  readonly summary?: string
}

export interface ToolResultEvent {
  readonly type: 'tool-result'
  readonly callId: string
  readonly tool: string
  readonly text: string
  readonly isError: boolean
  /** Present under the same condition as in the call. */
  readonly summary?: string
}

export interface ApprovalRequestEvent {
  readonly type: 'approval-request'
  readonly approvalId: string
  readonly callId: string
  readonly tool: string
  /** The complete action, such as the command as it would run. */
  readonly action: string
  readonly cwd: string
  readonly reason: string
  readonly mayAlwaysAllow: boolean
}

/** The usage of one model call. */
export interface CostEvent {
  readonly type: 'cost'
  readonly model: string
  /** All tokens that were sent, including cache reads and writes. */
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
  /** null = unknown price. Never an estimate. */
  readonly costUsd: number | null
  /** The fill level of the conversation, when known. */
  readonly contextTokens?: number
  readonly contextWindowTokens?: number
}

export interface DoneEvent {
  readonly type: 'done'
  readonly outcome: 'completed' | 'aborted' | 'stopped'
  /** Why the run was stopped; null when it finished on its own. */
  readonly reason: RunReason | null
  readonly detail?: string
  /** The agent's last message. */
  readonly text: string
  /** Prompts that were accepted but did not reach the agent, in arrival order. */
  readonly undelivered: readonly string[]
}

export interface ErrorEvent {
  readonly type: 'error'
  /** False: the run continues. */
  readonly fatal: boolean
  readonly reason: RunReason
  readonly message: string
  readonly undelivered: readonly string[]
}

/** True for the one event that ends a run. */
export function endsRun(event: RuntimeEventBody): event is DoneEvent | ErrorEvent {
  return event.type === 'done' || (event.type === 'error' && event.fatal)
}
