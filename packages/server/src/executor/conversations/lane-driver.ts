import type { MessageBatch, QueuedMessage, RuntimeRegistry } from '@clawboo/core/executor'
import type { AgentRecord } from '@clawboo/core/registry'
import type { Log } from '../../log.ts'
import type { Repositories, Store } from '../../store/open-store.ts'
import type { Attention } from '../attention/attention.ts'
import type { OpenRun, RunService } from '../run/run-service.ts'
import { runtimeOf } from '../runtimes/find-runner.ts'
import { type MessageBook, messageChanged } from './messages.ts'

/** The part of a run that a lane uses. */
export type LaneRun = Pick<OpenRun, 'id' | 'canSteer' | 'ended' | 'stop' | 'steer'>

/** The effects of a lane outside its own queue. */
export interface LaneDriver {
  /** Starts a run for the batch. Rejects when nothing was started. */
  startRun(batch: MessageBatch): Promise<LaneRun>
  /**
   * Closes the run that ended. `returned` are the messages that the run accepted and did not deliver. Never rejects.
   */
  closeRun(run: LaneRun, returned: readonly string[]): Promise<void>
  /** Call this before the run is offered a message that is not its first prompt. */
  offered(messageId: string, runId: string): Promise<void>
  /** The run refused the message that it was offered. */
  refused(messageId: string): Promise<void>
  /** Never rejects. */
  dropped(messageIds: readonly string[]): Promise<void>
  delivered(messageIds: readonly string[]): Promise<void>
  /** Every delivery of the batch failed. Never rejects. */
  gaveUp(batch: MessageBatch, reason: string): Promise<void>
  withdrawn(messageIds: readonly string[], reason: string): Promise<void>
  /** False while the agent works in another conversation. */
  isFree(): boolean
  /** Reserves a free agent for this conversation, before its run exists. */
  reserve(): void
  /** Makes the agent available to every conversation. */
  release(): void
  now(): number
}

interface LaneDriverOptions {
  readonly store: Store
  readonly book: MessageBook
  readonly attention: Attention
  readonly runs: RunService
  readonly log: Log
  readonly agentId: string
  readonly sessionKey: string
  readonly runtimes: RuntimeRegistry
  readonly lane: () => { promptDelivered(promptId: string): Promise<void> }
  readonly slot: Pick<LaneDriver, 'isFree' | 'reserve' | 'release'>
  readonly now: () => number
}

/** Carries out the decisions of a lane: stores messages, starts runs, and opens items for a person. */
export function createLaneDriver(options: LaneDriverOptions): LaneDriver {
  const { book, attention, log, now } = options
  let current: OpenRun | null = null

  return {
    now,
    ...options.slot,
    async startRun(batch) {
      current = await openRun(options, batch)
      return current
    },
    async closeRun(_run, returned) {
      const run = current
      current = null
      try {
        await run?.close({
          also: async (tx, ended) => ({ result: undefined, events: ended ? await putBack(tx, returned) : [] }),
        })
      } catch (error) {
        // The run service stores the end later; the runtime has its own record of the run.
        log.error('the end of a run was not stored', { runId: run?.id, error })
      }
    },
    async offered(messageId, runId) {
      await book.change([messageId], ['queued'], { state: 'delivering', runId, promptId: messageId })
    },
    async refused(messageId) {
      await book.change([messageId], ['delivering'], NOT_DELIVERED)
    },
    dropped: (ids) =>
      settle(ids, 'dropped', 'the queue was full').catch((error: unknown) =>
        log.error('dropped messages were not stored', { ids, error }),
      ),
    delivered: (ids) =>
      book.delivered(ids).catch((error: unknown) => {
        log.error('a delivery was not stored', { messageIds: ids, error })
        throw error
      }),
    withdrawn: (ids, reason) => settle(ids, 'withdrawn', reason),
    async gaveUp({ messages }, reason) {
      const ids = messages.map(({ id }) => id)
      try {
        await settle(ids, 'failed', reason)
        const agent = await options.store.agents.get(options.agentId)
        // One item each, so that a person can send each message again or drop it.
        for (const message of agent ? messages : []) await attention.open(undeliveredItem(agent!, message, reason))
      } catch (error) {
        log.error('undelivered messages were not reported', { ids, error })
      }
    },
  }

  async function settle(ids: readonly string[], state: 'dropped' | 'withdrawn' | 'failed', reason: string) {
    await book.change(ids, ['queued', 'delivering'], { state, reason, settledAt: now() })
  }
}

const NOT_DELIVERED = { state: 'queued', runId: null, promptId: null } as const

async function openRun(options: LaneDriverOptions, batch: MessageBatch): Promise<OpenRun> {
  const { store, runs, agentId, sessionKey } = options
  const agent = await store.agents.get(agentId)
  if (!agent) throw new Error('the agent no longer exists')
  const first = batch.messages[0] ? await store.messages.get(batch.messages[0].id) : null
  const ids = batch.messages.map(({ id }) => id)
  const run = await runs.open({
    agent,
    runtime: runtimeOf(options.runtimes, agent),
    sessionKey,
    trigger: 'message',
    teamId: agent.teamId,
    model: first?.model ?? null,
    prompt: () => ({ id: batch.id, text: batch.text }),
    async onOpen(tx, { id: runId }) {
      // Attempts are stored with the message, so that attempts before a crash count too.
      const attempts = (first?.attempts ?? batch.failures) + 1
      const patch = { state: 'delivering', runId, promptId: batch.id, attempts } as const
      return (await tx.messages.update(ids, ['queued'], patch)).map(messageChanged)
    },
    onDelivered: (promptId) => options.lane().promptDelivered(promptId),
  })
  return run!
}

async function putBack(tx: Repositories, returned: readonly string[]) {
  return (await tx.messages.update(returned, ['delivering'], NOT_DELIVERED)).map(messageChanged)
}

/** An attention item about one message. */
export function undeliveredItem(agent: AgentRecord, message: Pick<QueuedMessage, 'id' | 'text'>, reason: string) {
  return {
    kind: 'message',
    agentId: agent.id,
    runId: null,
    subjectId: message.id,
    title: `A message to ${agent.displayName} was not delivered`,
    detail: `${reason}\n\n${message.text.slice(0, 500)}`,
    action: null,
    answers: ['retry', 'dismiss'],
    expiresAt: null,
  } as const
}
