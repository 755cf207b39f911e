import type {
  ApprovalRequestEvent,
  CostEvent,
  DailyBudgets,
  LimitTripped,
  Prompt,
  RunEntry,
  RunLimits,
  RunOutcome,
  RunReason,
  RuntimeAdapter,
} from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import type { SpendBook } from './live-run-guard.ts'

/** One turn that is about to be taken: who, with what, within which bounds. */
export interface Turn {
  readonly runId: string
  readonly agent: AgentRecord
  readonly adapter: RuntimeAdapter
  readonly sessionKey: string
  readonly prompt: Prompt
  /** A person's own choice. */
  readonly model: string | null
  readonly verbose: 'off' | 'on' | 'full' | null
  readonly resume: string | null
  readonly limits: RunLimits
  readonly budgets: DailyBudgets
}

/** Where a turn writes down what happens. Each resolves when it is stored. */
export interface TurnBook {
  readonly spend: SpendBook
  /** Never rejects. */
  keep(entries: readonly RunEntry[]): Promise<void>
  delivered(promptId: string): Promise<void>
  cost(cost: CostEvent): Promise<void>
  asked(question: ApprovalRequestEvent): Promise<void>
  answered(approvalId: string): Promise<void>
}

export interface TurnEnd {
  readonly outcome: Exclude<RunOutcome, 'interrupted'>
  readonly reason: RunReason | null
  readonly detail: string | null
  readonly text: string
  /** Prompts that were accepted and did not reach the agent. */
  readonly undelivered: readonly string[]
  readonly limit: LimitTripped | null
  /** Trying again would come to the same. */
  readonly isFinal: boolean
  readonly resume: string | null
}
