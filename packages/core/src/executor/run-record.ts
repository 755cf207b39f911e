import type { RuntimeId } from '../registry/index.ts'
import type { RunReason } from './run-reason.ts'
import type { RuntimeEvent } from './runtime-event.ts'

/** One run of an agent: what started it, how it ended, what it took. */
export interface RunRecord {
  readonly id: string
  readonly agentId: string
  /** What the agent is called now. */
  readonly agentName: string
  /** The team it was in when the run began. */
  readonly teamId: string | null
  readonly runtime: RuntimeId
  readonly sessionKey: string
  readonly trigger: 'message' | 'task' | 'room'
  readonly model: string | null
  readonly state: 'running' | 'ended'
  /** null while it runs. `interrupted`: whoever ran it is gone. */
  readonly outcome: RunOutcome | null
  readonly reason: RunReason | null
  /** For a person. */
  readonly detail: string | null
  /** The beginning of what was said to the agent. */
  readonly prompt: string
  /** The beginning of the last thing the agent said. */
  readonly text: string
  readonly modelCalls: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
  /** null = no call had a known price. */
  readonly costUsd: number | null
  /** False when a call with no known price is missing in `costUsd`. */
  readonly costComplete: boolean
  readonly contextTokens: number | null
  readonly contextWindowTokens: number | null
  readonly startedAt: number
  readonly endedAt: number | null
}

export type RunOutcome = 'completed' | 'aborted' | 'stopped' | 'failed' | 'interrupted'

export const RUN_OUTCOMES = [
  'completed',
  'aborted',
  'stopped',
  'failed',
  'interrupted',
] as const satisfies readonly RunOutcome[]

/** What is kept of a run's stream: its events, with consecutive deltas of one message as one. */
export type RunEntry = RuntimeEvent

export interface RunDetail {
  readonly run: RunRecord
  readonly entries: readonly RunEntry[]
}

export const RUN_PROMPT_CHARACTERS = 300
export const RUN_TEXT_CHARACTERS = 1000
