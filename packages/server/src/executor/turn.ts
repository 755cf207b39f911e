import type {
  ApprovalRequestEvent,
  ConversationSettings,
  CostEvent,
  DailyBudgets,
  HostTools,
  LazyRuntime,
  LimitTripped,
  Prompt,
  RunEntry,
  RunLimits,
  RunOutcome,
  RunReason,
} from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import type { Store } from '../store/open-store.ts'
import { readSettings } from './conversation-settings.ts'
import type { Limits } from './limits.ts'
import type { SpendBook } from './live-run-guard.ts'
import type { RunInputs } from './prepare-run-input.ts'

/** One turn that is about to be taken: who, with what, within which bounds. */
export interface Turn {
  readonly runId: string
  readonly agent: AgentRecord
  readonly runtime: LazyRuntime
  readonly inputs: RunInputs
  readonly sessionKey: string
  readonly prompt: Prompt
  /** A person's own choice. */
  readonly model: string | null
  readonly verbose: 'off' | 'on' | 'full' | null
  readonly resume: string | null
  readonly limits: RunLimits
  readonly budgets: DailyBudgets
  /** Where the work is; the agent's own workspace when absent. */
  readonly folder?: string
  readonly hostTools?: HostTools
}

/** What bounds the next turn of a conversation, and where it goes on. */
export async function readTurnBounds(
  { store, limits }: { readonly store: Store; readonly limits: Limits },
  agent: AgentRecord,
  sessionKey: string,
): Promise<Pick<Turn, 'limits' | 'budgets' | 'resume'> & { readonly settings: ConversationSettings }> {
  const [settings, values, resume] = await Promise.all([
    readSettings(store, agent.id, sessionKey),
    limits.read(),
    store.runs.resumePoint(agent.id, sessionKey),
  ])
  const own = (agent.execConfig as { readonly budgetUsd?: number } | null)?.budgetUsd
  const budgets = own === undefined ? values.daily : { ...values.daily, agentUsd: Math.min(own, values.daily.agentUsd) }
  return { settings, limits: values.run, budgets, resume }
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
