import type { RuntimeId } from '../registry/index.ts'
import type { RunReason } from './run-reason.ts'
import type { RuntimeEvent } from './runtime-event.ts'

/** One run of an agent: its cause, its end and its cost. */
export interface RunRecord {
  readonly id: string
  readonly agentId: string
  /** The agent's current name. */
  readonly agentName: string
  /** The agent's team when the run began. */
  readonly teamId: string | null
  readonly runtime: RuntimeId
  readonly sessionKey: string
  readonly trigger: 'message' | 'task' | 'room'
  readonly model: string | null
  readonly state: 'running' | 'ended'
  /** null during the run. `interrupted`: the process that ran it is gone. */
  readonly outcome: RunOutcome | null
  readonly reason: RunReason | null
  /** A message for a person. */
  readonly detail: string | null
  /** The beginning of the prompt. */
  readonly prompt: string
  /** The beginning of the agent's last message. */
  readonly text: string
  readonly modelCalls: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
  /** null = no call had a known price. */
  readonly costUsd: number | null
  /** False when `costUsd` excludes a call with an unknown price. */
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

/** The part of a run's stream that is stored: its events, with consecutive deltas of one message merged. */
export type RunEntry = RuntimeEvent

export interface RunDetail {
  readonly run: RunRecord
  readonly entries: readonly RunEntry[]
}

export const RUN_PROMPT_CHARACTERS = 300
export const RUN_TEXT_CHARACTERS = 1000
