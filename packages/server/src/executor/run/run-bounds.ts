import {
  type CostEvent,
  countedUsd,
  type DailyBudgets,
  type LimitTripped,
  type RunGuard,
  type RunLimits,
  type RuntimeEvent,
  trippedBudget,
  trippedRunLimit,
} from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import type { Store } from '../../store/open-store.ts'
import { readSettings } from '../conversations/conversation-settings.ts'
import type { Limits } from '../limits/limits.ts'

export interface RunBounds {
  /** The model that a person chose; null = the agent's own. */
  readonly model: string | null
  readonly verbose: 'off' | 'on' | 'full' | null
  /** The resume point of the conversation's last run, as the runtime encoded it. */
  readonly resume: string | null
  readonly limits: RunLimits
  readonly budgets: DailyBudgets
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

/** The daily budgets, with the agent's own budget if it is smaller. */
export function agentBudgets(agent: AgentRecord, daily: DailyBudgets): DailyBudgets {
  const own = (agent.execConfig as { readonly budgetUsd?: number } | null)?.budgetUsd
  return own === undefined ? daily : { ...daily, agentUsd: Math.min(own, daily.agentUsd) }
}

/** Counts the spending of a run, and decides whether the run may continue. */
export interface LiveRunGuard extends RunGuard {
  /** Call this for every event, in order, when the event has been handled completely. */
  handled(seq: number): void
  /** Counts a model call. Resolves when the budgets include it. */
  spent(cost: CostEvent): Promise<LimitTripped | null>
  /** Call this when the stream has ended: no event will follow that a check could wait for. */
  release(): void
}

export interface SpendBook {
  add(cost: { readonly usd: number; readonly inputTokens: number; readonly outputTokens: number }): Promise<void>
  today(): Promise<{ readonly agentUsd: number; readonly teamUsd: number | null; readonly serverUsd: number }>
}

export function createLiveRunGuard(options: {
  readonly limits: RunLimits
  readonly budgets: DailyBudgets
  readonly book: SpendBook
}): LiveRunGuard {
  const { limits, budgets, book } = options
  const total = { modelCalls: 0, tokens: 0, usd: 0 }
  let handledSeq = 0
  const waiting: { readonly seq: number; readonly resume: () => void }[] = []

  const verdict = async () => trippedRunLimit(limits, total) ?? trippedBudget(budgets, await book.today())
  const resumeUpTo = (seq: number) => {
    for (let at = waiting.length - 1; at >= 0; at -= 1) {
      if (waiting[at]!.seq <= seq) waiting.splice(at, 1)[0]!.resume()
    }
  }
  return {
    async mayCallModel(afterSeq) {
      if (handledSeq < afterSeq) await new Promise<void>((resume) => waiting.push({ seq: afterSeq, resume }))
      return verdict()
    },
    handled(seq) {
      handledSeq = seq
      resumeUpTo(seq)
    },
    async spent(cost) {
      const usd = countedUsd(cost, limits.unknownPriceUsdPerMillionTokens)
      total.modelCalls += 1
      total.tokens += cost.inputTokens + cost.outputTokens
      total.usd += usd
      await book.add({ usd, inputTokens: cost.inputTokens, outputTokens: cost.outputTokens })
      return verdict()
    },
    release: () => resumeUpTo(Number.POSITIVE_INFINITY),
  }
}

export type RunClock = ReturnType<typeof createRunClock>

/** Checks a few times per limit instead of setting a timer per event, of which a stream has thousands. */
const CHECKS_PER_LIMIT = 10
const MOST_MS_BETWEEN_CHECKS = 5_000

/** Watches the time of one run. Waiting for a person's answer or for a tool is not idleness. */
export function createRunClock(
  limits: Pick<RunLimits, 'wallMs' | 'idleMs'>,
  trip: (limit: LimitTripped) => void,
  now: () => number = () => performance.now(),
) {
  const startedAt = now()
  let lastEventAt = startedAt
  let openApprovals = 0
  const openCalls = new Set<string>()
  let graceEnded = false
  let onGraceEnd = () => {}
  let graceTimer: NodeJS.Timeout | undefined
  const check = () => {
    const wall = now() - startedAt
    const idle = openApprovals > 0 || openCalls.size > 0 ? 0 : now() - lastEventAt
    if (wall >= limits.wallMs) tripOnce({ reason: 'time_limit', scope: 'run', figure: wall, cap: limits.wallMs })
    else if (idle >= limits.idleMs) tripOnce({ reason: 'idle_limit', scope: 'run', figure: idle, cap: limits.idleMs })
  }
  const tripOnce = (limit: LimitTripped) => {
    clearInterval(timer)
    trip({ ...limit, figure: Math.round(limit.figure) })
  }
  const every = Math.min(MOST_MS_BETWEEN_CHECKS, Math.max(1, Math.min(limits.wallMs, limits.idleMs) / CHECKS_PER_LIMIT))
  const timer = setInterval(check, every)
  return {
    event(event: RuntimeEvent) {
      lastEventAt = now()
      if (event.type === 'tool-call') openCalls.add(event.callId)
      if (event.type === 'tool-result') openCalls.delete(event.callId)
      if (event.type === 'approval-request') openApprovals += 1
      if (event.type === 'status' && event.state === 'approval-answered') openApprovals -= 1
    },
    /** Starts the grace period, in which the run has to end. Later calls have no effect. */
    grace(ms: number) {
      graceTimer ??= setTimeout(() => {
        graceEnded = true
        onGraceEnd()
      }, ms)
    },
    /** Calls the listener when the grace period ends, or at once if it has ended. A new listener replaces the last one. */
    whenGraceEnds(listener: () => void) {
      onGraceEnd = listener
      if (graceEnded) listener()
    },
    stop() {
      clearInterval(timer)
      clearTimeout(graceTimer)
    },
  }
}
