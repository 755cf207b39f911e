import { randomUUID } from 'node:crypto'
import type {
  ConversationSettings,
  CostEvent,
  LimitTripped,
  QueuedMessage,
  QueueTurn,
  RunRecord,
  RuntimeAdapter,
} from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import type { Log } from '../log.ts'
import type { Store } from '../store/open-store.ts'
import type { RunOwner } from '../store/runs-repository.ts'
import type { Attention } from './attention.ts'
import type { ConversationBook } from './conversation-book.ts'
import type { ConversationLane } from './conversation-lane.ts'
import type { Limits } from './limits.ts'
import type { RunStream, RunStreams } from './run-streams.ts'
import { type RunningTurn, runTurn } from './run-turn.ts'
import type { Turn, TurnBook, TurnEnd } from './turn.ts'

/** What a lane asks of the world around it. */
export interface LaneDriver {
  /** Starts a run for the turn and hands it over in the tick in which it exists. Rejects when nothing was started. */
  startTurn(turn: QueueTurn, started: (run: StartedTurn) => void): Promise<void>
  /** `returned` are the messages that the run had taken and not delivered. */
  ended(runId: string, end: TurnEnd, returned: readonly string[]): Promise<void>
  /** A run is about to be asked to take this; it is not its first prompt. */
  offered(messageId: string, runId: string): Promise<void>
  /** The run would not take what it was offered. */
  refused(messageId: string): Promise<void>
  /** Never rejects. */
  dropped(messageIds: readonly string[]): Promise<void>
  delivered(messageIds: readonly string[]): Promise<void>
  /** After every attempt. Never rejects. */
  gaveUp(turn: QueueTurn, why: string): Promise<void>
  withdrawn(messageIds: readonly string[], why: string): Promise<void>
  /** Whether the agent is free, or works in another conversation. */
  isFree(): boolean
  /** Keeps a free agent for this conversation, before its run exists. */
  take(): void
  /** The agent is free for every conversation. */
  letGo(): void
  now(): number
}

export interface StartedTurn {
  readonly runId: string
  readonly running: RunningTurn
  readonly canSteer: boolean
}

export interface LaneWorld {
  readonly store: Store
  readonly book: ConversationBook
  readonly attention: Attention
  readonly limits: Limits
  readonly streams: RunStreams
  readonly log: Log
  readonly owner: RunOwner
  readonly agentId: string
  readonly sessionKey: string
  readonly adapterOf: (agent: AgentRecord) => RuntimeAdapter
  readonly settingsOf: (agent: AgentRecord) => Promise<ConversationSettings>
  readonly lane: () => ConversationLane
  readonly hold: Pick<LaneDriver, 'isFree' | 'take' | 'letGo'>
  readonly now: () => number
}

const APPROVAL_MS = 30 * 60_000

/** Does what a lane decides: rows, runs, items for a person. */
export function createLaneDriver(world: LaneWorld): LaneDriver {
  const { book, attention, streams, log, now } = world
  let current: { readonly run: RunRecord; readonly agent: AgentRecord; readonly stream: RunStream } | null = null

  return {
    now,
    ...world.hold,
    async startTurn(turn, started) {
      const prepared = await prepareTurn(world, turn)
      const run = await book.startRun(
        newRun(world, prepared),
        turn.messages.map(({ id }) => id),
        turn.id,
        prepared.attempt,
      )
      const stream = streams.open(world.agentId, run.id)
      current = { run, agent: prepared.agent, stream }
      const running = runTurn(prepared, turnBook(world, prepared), stream)
      started({ runId: run.id, running, canSteer: prepared.adapter.capabilities().steering })
    },
    async ended(_runId, end, returned) {
      if (!current) return
      const { run, agent, stream } = current
      current = null
      stream.end()
      if (end.reason === 'process_died') log.error('a run broke off', { runId: run.id, detail: end.detail })
      try {
        await book.endRun(run, end, returned)
        const limit = limitOf(end)
        if (limit) await attention.open(limitItem(agent, run, end))
      } catch (error) {
        // The run stays open in the store until its lease is over; what it did is in the runtime's own record.
        log.error('the end of a run was not kept', { runId: run.id, error })
      }
    },
    async offered(messageId, runId) {
      await book.change([messageId], ['queued'], { state: 'delivering', runId, promptId: messageId })
    },
    async refused(messageId) {
      await book.change([messageId], ['delivering'], { state: 'queued', runId: null, promptId: null })
    },
    dropped: (ids) =>
      settle(ids, 'dropped', 'the queue was full').catch((error: unknown) =>
        log.error('what was dropped from a queue was not kept', { ids, error }),
      ),
    delivered: (ids) =>
      book.delivered(ids).catch((error: unknown) => {
        log.error('a delivery was not noted', { messageIds: ids, error })
        throw error
      }),
    withdrawn: (ids, why) => settle(ids, 'withdrawn', why),
    async gaveUp({ messages }, why) {
      const ids = messages.map(({ id }) => id)
      try {
        await settle(ids, 'failed', why)
        const agent = await world.store.agents.get(world.agentId)
        // One each: a person sends each of them again, or not.
        for (const message of agent ? messages : []) await attention.open(undeliveredItem(agent!, message, why))
      } catch (error) {
        log.error('messages that were given up were not reported', { ids, error })
      }
    },
  }

  async function settle(ids: readonly string[], state: 'dropped' | 'withdrawn' | 'failed', reason: string) {
    await book.change(ids, ['queued', 'delivering'], { state, reason, settledAt: now() })
  }
}

async function prepareTurn(world: LaneWorld, turn: QueueTurn): Promise<Turn & { readonly attempt: number }> {
  const { store, limits, sessionKey } = world
  const agent = await store.agents.get(world.agentId)
  if (!agent) throw new Error('the agent is gone')
  const first = turn.messages[0] ? await store.messages.get(turn.messages[0].id) : null
  const [settings, values, resume] = await Promise.all([
    world.settingsOf(agent),
    limits.read(),
    store.runs.resumePoint(agent.id, sessionKey),
  ])
  const own = (agent.execConfig as { readonly budgetUsd?: number } | null)?.budgetUsd
  return {
    // Kept with the message: what was tried before a crash counts too.
    attempt: (first?.attempts ?? turn.failures) + 1,
    runId: randomUUID(),
    agent,
    adapter: world.adapterOf(agent),
    sessionKey,
    prompt: { id: turn.id, text: turn.text },
    model: first?.model ?? settings.model,
    verbose: settings.verbose,
    resume,
    limits: values.run,
    budgets: own === undefined ? values.daily : { ...values.daily, agentUsd: Math.min(own, values.daily.agentUsd) },
  }
}

function newRun({ owner, now }: LaneWorld, { runId, agent, sessionKey, model, prompt }: Turn) {
  const { id: agentId, teamId, runtime } = agent
  return { id: runId, agentId, teamId, runtime, sessionKey, model, prompt: prompt.text, owner, startedAt: now() }
}

function turnBook(world: LaneWorld, { runId, agent }: Turn): TurnBook {
  const { store, limits, attention, owner } = world
  const items = new Map<string, string>()
  return {
    spend: {
      add: (cost) => limits.addSpend(agent.id, agent.teamId, cost),
      today: () => limits.spentToday(agent.id, agent.teamId),
    },
    async keep(entries) {
      try {
        await store.runs.appendEntries(runId, entries)
      } catch (error) {
        // The run goes on: what it does is in the runtime's own record too.
        world.log.error('a part of a run was not kept', { runId, error })
      }
    },
    delivered: (promptId) => world.lane().promptDelivered(promptId),
    async cost({ type: _, ...cost }: CostEvent) {
      await store.runs.addCost(runId, owner.instance, cost)
    },
    async asked(question) {
      const { tool, action: command, cwd, reason, mayAlwaysAllow } = question
      const item = await attention.open({
        kind: 'approval',
        agentId: agent.id,
        runId,
        subjectId: question.approvalId,
        title: `${agent.displayName} asks before it acts`,
        detail: reason,
        action: { tool, command, cwd, reason, mayAlwaysAllow },
        answers: mayAlwaysAllow ? ['allow-once', 'allow-always', 'deny'] : ['allow-once', 'deny'],
        expiresAt: world.now() + APPROVAL_MS,
      })
      items.set(question.approvalId, item.id)
    },
    async answered(approvalId) {
      items.delete(approvalId)
    },
  }
}

function limitOf(end: TurnEnd): LimitTripped | boolean {
  return end.limit ?? (end.outcome === 'stopped' && end.reason?.endsWith('_limit') === true)
}

function limitItem(agent: AgentRecord, run: RunRecord, end: TurnEnd) {
  return {
    kind: 'limit',
    agentId: agent.id,
    runId: run.id,
    subjectId: null,
    title: `${agent.displayName} was stopped by a limit`,
    detail: end.detail ?? end.reason ?? '',
    action: null,
    answers: ['dismiss'],
    expiresAt: null,
  } as const
}

function undeliveredItem(agent: AgentRecord, message: QueuedMessage, why: string) {
  return {
    kind: 'message',
    agentId: agent.id,
    runId: null,
    subjectId: message.id,
    title: `A message to ${agent.displayName} was not delivered`,
    detail: `${why}\n\n${message.text.slice(0, 500)}`,
    action: null,
    answers: ['retry', 'dismiss'],
    expiresAt: null,
  } as const
}
