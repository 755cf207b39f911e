import type {
  DailyBudgets,
  HostTools,
  LazyRuntime,
  LimitTripped,
  Prompt,
  RunLimits,
  RunOutcome,
  RunReason,
} from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import type { Store } from '../../store/open-store.ts'
import { readSettings } from '../conversations/conversation-settings.ts'
import type { Limits } from '../limits/limits.ts'
import type { RunInputs } from './prepare-run-input.ts'

/** Everything a runtime needs for one run, and the bounds of the run. */
export interface RunPlan extends RunBounds {
  readonly runId: string
  readonly agent: AgentRecord
  readonly runtime: LazyRuntime
  /** Prepares the agent's files and its home. */
  readonly inputs: RunInputs
  readonly sessionKey: string
  readonly prompt: Prompt
  /** The working folder; without one the agent works in its own workspace. */
  readonly folder?: string
  readonly hostTools?: HostTools
}

export interface RunBounds {
  /** The model that a person chose; null = the agent's own. */
  readonly model: string | null
  readonly verbose: 'off' | 'on' | 'full' | null
  /** Where the conversation's last run stopped, as the runtime encoded it. */
  readonly resume: string | null
  readonly limits: RunLimits
  readonly budgets: DailyBudgets
}

/** How a run ended, as its runtime or the host's limits decided. */
export interface RunEnding {
  readonly outcome: Exclude<RunOutcome, 'interrupted'>
  readonly reason: RunReason | null
  readonly detail: string | null
  readonly text: string
  /** Ids of prompts that the run accepted but the agent never received. */
  readonly undelivered: readonly string[]
  readonly limit: LimitTripped | null
  /** A retry would fail in the same way. */
  readonly isFinal: boolean
  readonly resume: string | null
}

/** Reads the bounds of the next run of a conversation. */
export async function readRunBounds(
  { store, limits }: { readonly store: Store; readonly limits: Pick<Limits, 'read'> },
  agent: AgentRecord,
  sessionKey: string,
): Promise<RunBounds> {
  const [settings, values, resume] = await Promise.all([
    readSettings(store, agent.id, sessionKey),
    limits.read(),
    store.runs.resumePoint(agent.id, sessionKey),
  ])
  return {
    model: settings.model,
    verbose: settings.verbose,
    limits: values.run,
    budgets: agentBudgets(agent, values.daily),
    resume,
  }
}

/** The daily budgets, with the agent's own budget where that is smaller. */
export function agentBudgets(agent: AgentRecord, daily: DailyBudgets): DailyBudgets {
  const own = (agent.execConfig as { readonly budgetUsd?: number } | null)?.budgetUsd
  return own === undefined ? daily : { ...daily, agentUsd: Math.min(own, daily.agentUsd) }
}

export function endedByLimit({ limit, outcome, reason }: RunEnding): boolean {
  return limit !== null || (outcome === 'stopped' && reason?.endsWith('_limit') === true)
}
