import { ClawbooError, createInOrder } from '@clawboo/core'
import {
  type AcceptResult,
  acceptMessage,
  batchDelivered,
  batchFailed,
  batchReturned,
  createMessageQueue,
  heldMessages,
  type MessageBatch,
  type MessageQueue,
  nextBatch,
  type QueueSettings,
  type RunReason,
  returnSteers,
  steersDelivered,
  steersRefused,
  takeSteers,
  withdrawMessages,
} from '@clawboo/core/executor'
import type { StoredMessage } from '../../store/repositories/runs/messages-repository.ts'
import type { RunEnding } from '../run/run-book.ts'
import type { LaneDriver, LaneRun } from './lane-driver.ts'

interface Active {
  readonly run: LaneRun
  readonly batch: MessageBatch
  delivered: boolean
}

/**
 * One active conversation: its queue and its current run. All changes run in order, so no two decisions are made on the
 * same state.
 */
export class ConversationLane {
  readonly #driver: LaneDriver
  #queue: MessageQueue
  #active: Active | null = null
  readonly #runInOrder = createInOrder()
  /** The number of changes that are running or waiting. */
  #pending = 0
  /** Messages that were delivered but not stored as delivered yet. */
  readonly #unnoted: string[] = []
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(driver: LaneDriver, settings: QueueSettings) {
    this.#driver = driver
    this.#queue = createMessageQueue(settings)
  }

  get run(): LaneRun | null {
    return this.#active?.run ?? null
  }

  get isQuiet(): boolean {
    return this.#pending === 0 && this.#active === null && nextBatch(this.#queue, this.#driver.now()).type === 'nothing'
  }

  /** Accepts or refuses a message. Calls `store`, which makes the message durable, only when the queue has room. */
  accept(
    message: Omit<StoredMessage, 'position'>,
    settings: QueueSettings,
    store: () => Promise<boolean>,
  ): Promise<AcceptResult['verdict'] | 'known'> {
    return this.#inOrder(async () => {
      this.#queue = { ...this.#queue, settings }
      const result = acceptMessage(this.#queue, inbound(message), this.#runState(), this.#driver.now())
      if (result.verdict === 'refused') return result.reason === 'duplicate' ? 'known' : 'refused'
      if (result.verdict === 'start') this.#driver.reserve()
      let isNew = false
      try {
        isNew = await store()
      } finally {
        if (result.verdict === 'start' && !isNew) this.#driver.release()
      }
      if (!isNew) return 'known'
      this.#queue = result.queue
      await this.#driver.dropped(result.dropped.map(({ id }) => id))
      if (result.verdict === 'start') await this.#start(result.batch)
      else if (result.verdict === 'steer') await this.#offer(result.messages)
      else if (result.verdict === 'interrupt' && this.#active) this.#active.run.stop('aborted_by_message')
      else {
        this.#advanceLater(0)
        // The agent works in another conversation, and an interrupt does not end that one.
        return 'queued'
      }
      return result.verdict
    })
  }

  /**
   * Restores messages that were accepted earlier, in order of arrival. The cap and the duplicate check do not apply.
   */
  restore(messages: readonly StoredMessage[]): Promise<void> {
    return this.#inOrder(async () => {
      const { settings } = this.#queue
      const ids = messages.map(({ id }) => id)
      const recent = this.#queue.recent.filter(({ id }) => !ids.includes(id))
      this.#queue = { ...this.#queue, recent, settings: { ...settings, cap: Number.POSITIVE_INFINITY } }
      for (const message of messages) {
        const waiting = acceptMessage(this.#queue, inbound(message), BUSY, this.#driver.now())
        this.#queue = waiting.queue
      }
      this.#queue = { ...this.#queue, settings }
      this.#advanceLater(0)
    })
  }

  withdraw(messageIds: readonly string[]): Promise<readonly string[]> {
    return this.#inOrder(async () => {
      const { queue, withdrawn } = withdrawMessages(this.#queue, messageIds)
      const ids = withdrawn.map(({ id }) => id)
      await this.#driver.withdrawn(ids, 'withdrawn by a person')
      this.#queue = queue
      return ids
    })
  }

  /**
   * Calls `begin` between two runs, so that every message is clearly before or after it. Waiting messages belong to the
   * conversation that ends; `begin` settles them. Throws `agent_busy`.
   */
  reset(begin: (waiting: readonly string[]) => Promise<void>): Promise<void> {
    return this.#inOrder(async () => {
      if (this.#active) throw new ClawbooError('agent_busy', 'the agent is working; stop it first')
      await begin(heldMessages(this.#queue).map(({ id }) => id))
      const { settings, recent, nextSeq } = this.#queue
      this.#queue = { ...createMessageQueue(settings), recent, nextSeq }
    })
  }

  /** Call this when the agent may have become free. */
  poke(): void {
    this.#advanceLater(0)
  }

  /** Stops the run, including one that is still starting. Resolves to its id. */
  async stop(reason: RunReason): Promise<string | null> {
    if (!this.#active) await this.#runInOrder.settled()
    this.#active?.run.stop(reason)
    return this.#active?.run.id ?? null
  }

  /** Ends the run and starts no other; later messages wait. Resolves when the run has ended. */
  async close(reason: RunReason): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.stop(reason)
    await this.#active?.run.ended
    await this.#runInOrder.settled()
  }

  /** Continues after `close`. */
  reopen(): void {
    this.#closed = false
    this.#advanceLater(0)
  }

  /** Call this when the runtime has stored a prompt in its own record. */
  promptDelivered(promptId: string): Promise<void> {
    return this.#inOrder(async () => {
      const active = this.#active
      if (active && active.batch.id === promptId && !active.delivered) {
        active.delivered = true
        this.#queue = batchDelivered(this.#queue, active.batch)
        await this.#noteDelivered(active.batch.messages.map(({ id }) => id))
      } else {
        this.#queue = steersDelivered(this.#queue, [promptId])
        await this.#noteDelivered([promptId])
      }
    })
  }

  /** A delivery that cannot be stored now is stored when the run has ended. */
  async #noteDelivered(ids: readonly string[]): Promise<void> {
    const all = [...this.#unnoted.splice(0), ...ids]
    await this.#driver.delivered(all).catch(() => this.#unnoted.push(...all))
  }

  async #start(batch: MessageBatch): Promise<void> {
    try {
      const run = await this.#driver.startRun(batch)
      this.#active = { run, batch, delivered: false }
      // `#finish` reports its own failures; the lane continues whatever happens.
      void run.ended.then((end) => this.#inOrder(() => this.#finish(end)).catch(() => {}))
      // Delivers the messages that waited for a run to steer.
      this.#advanceLater(0)
    } catch (error) {
      this.#driver.release()
      await this.#failed(batch, error instanceof Error ? error.message : String(error), false)
    }
  }

  async #finish(end: RunEnding): Promise<void> {
    const active = this.#active
    if (!active) return
    if (this.#unnoted.length > 0) await this.#noteDelivered([])
    const undelivered = active.delivered ? [] : active.batch.messages.map(({ id }) => id)
    await this.#driver.closeRun(active.run, [...undelivered, ...this.#queue.steering.map(({ id }) => id)])
    this.#active = null
    this.#driver.release()
    try {
      if (!active.delivered) await this.#settleUndelivered(active.batch, end)
    } finally {
      this.#queue = returnSteers(this.#queue)
      this.#advanceLater(0)
    }
  }

  /** Withdraws, retries or returns a batch that its run did not deliver. */
  async #settleUndelivered(batch: MessageBatch, end: RunEnding): Promise<void> {
    if (end.reason === 'aborted_by_person') {
      this.#queue = batchDelivered(this.#queue, batch)
      const ids = batch.messages.map(({ id }) => id)
      await this.#driver.withdrawn(ids, 'stopped before it was delivered')
    } else if (end.outcome === 'failed' || end.limit)
      await this.#failed(batch, end.detail ?? 'the run failed', end.isFinal)
    else this.#queue = batchReturned(this.#queue, batch)
  }

  /** `isFinal`: a retry would fail in the same way. */
  async #failed(batch: MessageBatch, reason: string, isFinal: boolean): Promise<void> {
    const { queue, reported } = isFinal
      ? { queue: batchDelivered(this.#queue, batch), reported: batch }
      : batchFailed(this.#queue, batch, this.#driver.now())
    this.#queue = queue
    if (reported) await this.#driver.gaveUp(reported, reason)
    this.#advanceLater(0)
  }

  /** Offers messages one by one: after a refusal, no later message may overtake the refused one. */
  async #offer(messages: readonly { readonly id: string; readonly text: string }[]): Promise<void> {
    const active = this.#active
    if (!active) return this.#queueAgain(messages)
    for (const [at, { id, text }] of messages.entries()) {
      // Stored before the offer: a crash may happen after the run has received the message and before the delivery is
      // stored.
      await this.#driver.offered(id, active.run.id)
      const outcome = await active.run.steer({ id, text })
      if (outcome.accepted) continue
      this.#queueAgain(messages.slice(at))
      return this.#driver.refused(id)
    }
  }

  #queueAgain(messages: readonly { readonly id: string }[]): void {
    const ids = messages.map(({ id }) => id)
    this.#queue = steersRefused(this.#queue, ids, this.#driver.now())
  }

  #advanceLater(ms: number): void {
    clearTimeout(this.#timer)
    if (this.#closed) return
    this.#timer = setTimeout(() => this.#advanceNow(), ms)
    if (ms > 0) this.#timer.unref()
  }

  #advanceNow(): void {
    // A failed step leaves its messages in the queue; the next change tries again.
    void this.#inOrder(() => this.#advance()).catch(() => {})
  }

  async #advance(): Promise<void> {
    if (this.#closed) return
    if (this.#active) {
      if (!this.#active.run.canSteer) return
      const { queue, messages } = takeSteers(this.#queue, this.#active.batch)
      this.#queue = queue
      return this.#offer(messages)
    }
    if (!this.#driver.isFree()) return
    const next = nextBatch(this.#queue, this.#driver.now())
    this.#queue = next.queue
    if (next.type === 'wait') this.#advanceLater(Math.max(1, next.until - this.#driver.now()))
    if (next.type !== 'batch') return
    this.#driver.reserve()
    await this.#start(next.batch)
  }

  #runState() {
    if (this.#active)
      return { type: 'running', steering: this.#active.run.canSteer ? 'open' : 'runtime_rejected' } as const
    return this.#driver.isFree() && !this.#closed ? ({ type: 'idle' } as const) : BUSY
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    this.#pending += 1
    return this.#runInOrder(work).finally(() => {
      this.#pending -= 1
    })
  }
}

const BUSY = { type: 'running', steering: 'not_streaming' } as const

/** Converts a stored message to the form that the queue accepts. */
function inbound({ id, text, sender, mode }: Omit<StoredMessage, 'position'>) {
  return { id, text, sender, mode }
}
