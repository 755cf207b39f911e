import { randomUUID } from 'node:crypto'
import type { LazyRuntime, QueuedMessage, QueueTurn, RunRecord } from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import type { Log } from '../log.ts'
import type { Store } from '../store/open-store.ts'
import type { RunOwner } from '../store/runs-repository.ts'
import type { Attention } from './attention.ts'
import type { ConversationBook } from './conversation-book.ts'
import type { ConversationLane } from './conversation-lane.ts'
import type { Limits } from './limits.ts'
import type { RunInputs } from './prepare-run-input.ts'
import type { RunStream, RunStreams } from './run-streams.ts'
import type { OpenedTools, RunTools } from './run-tools.ts'
import { type RunningTurn, runTurn } from './run-turn.ts'
import { readTurnBounds, type Turn, type TurnEnd } from './turn.ts'
import { createTurnBook, reportLimit } from './turn-book.ts'

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
  readonly runtimeOf: (agent: AgentRecord) => LazyRuntime
  readonly inputs: RunInputs
  /** What the host offers every run; nothing when absent. */
  readonly tools?: RunTools
  readonly lane: () => ConversationLane
  readonly hold: Pick<LaneDriver, 'isFree' | 'take' | 'letGo'>
  readonly now: () => number
}

interface Current {
  readonly run: RunRecord
  readonly agent: AgentRecord
  readonly stream: RunStream
  readonly tools: OpenedTools | null
}

/** Does what a lane decides: rows, runs, items for a person. */
export function createLaneDriver(world: LaneWorld): LaneDriver {
  const { book, attention, streams, log, now } = world
  let current: Current | null = null

  return {
    now,
    ...world.hold,
    async startTurn(turn, started) {
      const prepared = await prepareTurn(world, turn)
      const { agent, runId } = prepared
      const { claims } = prepared.runtime.descriptor
      const tools =
        (await world.tools?.open({ runId, agentId: agent.id, teamId: agent.teamId, taskId: null }, claims)) ?? null
      const ids = turn.messages.map(({ id }) => id)
      const run = await book
        .startRun(newRun(world, prepared), ids, turn.id, prepared.attempt)
        .catch((error: unknown) => closeTools(tools).then(() => Promise.reject(error)))
      const stream = streams.open(world.agentId, run.id)
      current = { run, agent, stream, tools }
      const kept = createTurnBook(world, prepared, (promptId) => world.lane().promptDelivered(promptId))
      const running = runTurn(tools ? { ...prepared, hostTools: tools.hostTools } : prepared, kept, stream)
      started({ runId: run.id, running, canSteer: claims.steering })
    },
    async ended(_runId, end, returned) {
      if (!current) return
      const { run, agent, stream, tools } = current
      current = null
      stream.end()
      await closeTools(tools)
      if (end.reason === 'process_died') log.error('a run broke off', { runId: run.id, detail: end.detail })
      try {
        await book.endRun(run, end, returned)
        await reportLimit(attention, agent, run.id, end)
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

  /** Never rejects. */
  async function closeTools(tools: OpenedTools | null): Promise<void> {
    await tools?.close().catch((error: unknown) => log.error('the credential of a run was not revoked', { error }))
  }

  async function settle(ids: readonly string[], state: 'dropped' | 'withdrawn' | 'failed', reason: string) {
    await book.change(ids, ['queued', 'delivering'], { state, reason, settledAt: now() })
  }
}

async function prepareTurn(world: LaneWorld, turn: QueueTurn): Promise<Turn & { readonly attempt: number }> {
  const { store, sessionKey } = world
  const agent = await store.agents.get(world.agentId)
  if (!agent) throw new Error('the agent is gone')
  const first = turn.messages[0] ? await store.messages.get(turn.messages[0].id) : null
  const { settings, ...bounds } = await readTurnBounds(world, agent, sessionKey)
  return {
    // Kept with the message: what was tried before a crash counts too.
    attempt: (first?.attempts ?? turn.failures) + 1,
    runId: randomUUID(),
    agent,
    runtime: world.runtimeOf(agent),
    inputs: world.inputs,
    sessionKey,
    prompt: { id: turn.id, text: turn.text },
    model: first?.model ?? settings.model,
    verbose: settings.verbose,
    ...bounds,
  }
}

function newRun({ owner, now }: LaneWorld, { runId, agent, sessionKey, model, prompt }: Turn) {
  const { id: agentId, teamId, runtime } = agent
  return { id: runId, agentId, teamId, runtime, sessionKey, model, prompt: prompt.text, owner, startedAt: now() }
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
