import { ClawbooError } from '@clawboo/core'
import {
  type AcceptResult,
  acceptMessage,
  createMessageQueue,
  heldMessages,
  type MessageQueue,
  nextTurn,
  type QueueSettings,
  type QueueTurn,
  type RunReason,
  returnSteers,
  steersDelivered,
  steersRefused,
  takeSteers,
  turnDelivered,
  turnFailed,
  turnReturned,
  withdrawMessages,
} from '@clawboo/core/executor'
import type { StoredMessage } from '../../store/messages-repository.ts'
import type { TurnEnd } from '../run/run-plan.ts'
import type { LaneDriver, StartedTurn } from './lane-driver.ts'
import { inboundOf } from './lane-message.ts'

interface Active extends StartedTurn {
  readonly turn: QueueTurn
  delivered: boolean
}

/**
 * One conversation at work: its queue and the run that is under way. Everything that changes it goes through one chain,
 * so no two decisions see the same state.
 */
export class ConversationLane {
  readonly #driver: LaneDriver
  #queue: MessageQueue
  #active: Active | null = null
  #chain: Promise<unknown> = Promise.resolve()
  /** Decisions that are under way or wait for their turn. */
  #undecided = 0
  /** Delivered, and not yet in the store. */
  readonly #unnoted: string[] = []
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(driver: LaneDriver, settings: QueueSettings) {
    this.#driver = driver
    this.#queue = createMessageQueue(settings)
  }

  get active(): StartedTurn | null {
    return this.#active
  }

  get isQuiet(): boolean {
    return (
      this.#undecided === 0 && this.#active === null && nextTurn(this.#queue, this.#driver.now()).type === 'nothing'
    )
  }

  /** `store` makes the message durable; it runs only when the queue has a place for it. */
  accept(
    message: Omit<StoredMessage, 'position'>,
    settings: QueueSettings,
    store: () => Promise<boolean>,
  ): Promise<AcceptResult['verdict'] | 'known'> {
    return this.#inTurn(async () => {
      this.#queue = { ...this.#queue, settings }
      const result = acceptMessage(this.#queue, inboundOf(message), this.#runState(), this.#driver.now())
      if (result.verdict === 'refused') return result.reason === 'duplicate' ? 'known' : 'refused'
      if (result.verdict === 'start') this.#driver.take()
      let isNew = false
      try {
        isNew = await store()
      } finally {
        if (result.verdict === 'start' && !isNew) this.#driver.letGo()
      }
      if (!isNew) return 'known'
      this.#queue = result.queue
      await this.#driver.dropped(result.dropped.map(({ id }) => id))
      if (result.verdict === 'start') await this.#start(result.turn)
      else if (result.verdict === 'steer') await this.#offer(result.messages)
      else if (result.verdict === 'interrupt' && this.#active) this.#active.running.stop('aborted_by_message')
      else {
        this.#advanceLater(0)
        // Busy elsewhere: another conversation is not ended for this one.
        return 'queued'
      }
      return result.verdict
    })
  }

  /** Puts back what was accepted before, in order of arrival. Neither the cap nor a recent id refuses it now. */
  restore(messages: readonly StoredMessage[]): Promise<void> {
    return this.#inTurn(async () => {
      const { settings } = this.#queue
      const ids = messages.map(({ id }) => id)
      const recent = this.#queue.recent.filter(({ id }) => !ids.includes(id))
      this.#queue = { ...this.#queue, recent, settings: { ...settings, cap: Number.POSITIVE_INFINITY } }
      for (const message of messages) {
        const waiting = acceptMessage(this.#queue, inboundOf(message), BUSY, this.#driver.now())
        this.#queue = waiting.queue
      }
      this.#queue = { ...this.#queue, settings }
      this.#advanceLater(0)
    })
  }

  withdraw(messageIds: readonly string[]): Promise<readonly string[]> {
    return this.#inTurn(async () => {
      const { queue, withdrawn } = withdrawMessages(this.#queue, messageIds)
      const ids = withdrawn.map(({ id }) => id)
      await this.#driver.withdrawn(ids, 'taken back')
      this.#queue = queue
      return ids
    })
  }

  /**
   * Runs `begin` between two turns, so that every message is before it or behind it. What waits was said to the
   * conversation that ends: `begin` settles it. Throws `agent_busy`.
   */
  reset(begin: (waiting: readonly string[]) => Promise<void>): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#active) throw new ClawbooError('agent_busy', 'the agent is at work; stop it first')
      await begin(heldMessages(this.#queue).map(({ id }) => id))
      const { settings, recent, nextSeq } = this.#queue
      this.#queue = { ...createMessageQueue(settings), recent, nextSeq }
    })
  }

  /** The agent may be free now. */
  poke(): void {
    this.#advanceLater(0)
  }

  /** Also a run that is only being started. */
  async stop(reason: RunReason): Promise<string | null> {
    if (!this.#active) await this.#chain
    this.#active?.running.stop(reason)
    return this.#active?.runId ?? null
  }

  /** Ends the run and starts no other; what is accepted from now on waits. Resolves when the run has ended. */
  async close(reason: RunReason): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.stop(reason)
    await this.#active?.running.ended
    await this.#chain
  }

  /** Goes on after `close`. */
  reopen(): void {
    this.#closed = false
    this.#advanceLater(0)
  }

  /** To be called when the runtime has a prompt in its own record. */
  promptDelivered(promptId: string): Promise<void> {
    return this.#inTurn(async () => {
      const active = this.#active
      if (active && active.turn.id === promptId && !active.delivered) {
        active.delivered = true
        this.#queue = turnDelivered(this.#queue, active.turn)
        await this.#noteDelivered(active.turn.messages.map(({ id }) => id))
      } else {
        this.#queue = steersDelivered(this.#queue, [promptId])
        await this.#noteDelivered([promptId])
      }
    })
  }

  /** What could not be written down now is written down when the run has ended. */
  async #noteDelivered(ids: readonly string[]): Promise<void> {
    const all = [...this.#unnoted.splice(0), ...ids]
    await this.#driver.delivered(all).catch(() => this.#unnoted.push(...all))
  }

  async #start(turn: QueueTurn): Promise<void> {
    try {
      await this.#driver.startTurn(turn, (started) => {
        this.#active = { ...started, turn, delivered: false }
        void started.running.ended.then((end) => this.#inTurn(() => this.#finish(end)).catch(() => {}))
      })
      // What waited for a run to steer goes into this one.
      this.#advanceLater(0)
    } catch (error) {
      this.#driver.letGo()
      await this.#failed(turn, error instanceof Error ? error.message : String(error), false)
    }
  }

  async #finish(end: TurnEnd): Promise<void> {
    const active = this.#active
    if (!active) return
    if (this.#unnoted.length > 0) await this.#noteDelivered([])
    const undelivered = active.delivered ? [] : active.turn.messages.map(({ id }) => id)
    await this.#driver.ended(active.runId, end, [...undelivered, ...this.#queue.steering.map(({ id }) => id)])
    this.#active = null
    this.#driver.letGo()
    try {
      if (!active.delivered) await this.#turnBack(active.turn, end)
    } finally {
      this.#queue = returnSteers(this.#queue)
      this.#advanceLater(0)
    }
  }

  /** What becomes of a turn that its run did not deliver. */
  async #turnBack(turn: QueueTurn, end: TurnEnd): Promise<void> {
    if (end.reason === 'aborted_by_person') {
      this.#queue = turnDelivered(this.#queue, turn)
      const ids = turn.messages.map(({ id }) => id)
      await this.#driver.withdrawn(ids, 'stopped before it was delivered')
    } else if (end.outcome === 'failed' || end.limit)
      await this.#failed(turn, end.detail ?? 'the run failed', end.isFinal)
    else this.#queue = turnReturned(this.#queue, turn)
  }

  /** `isFinal`: trying again would come to the same. */
  async #failed(turn: QueueTurn, why: string, isFinal: boolean): Promise<void> {
    const { queue, reported } = isFinal
      ? { queue: turnDelivered(this.#queue, turn), reported: turn }
      : turnFailed(this.#queue, turn, this.#driver.now())
    this.#queue = queue
    if (reported) await this.#driver.gaveUp(reported, why)
    this.#advanceLater(0)
  }

  /** In order: behind one that is refused, none of the others may overtake it. */
  async #offer(messages: readonly { readonly id: string; readonly text: string }[]): Promise<void> {
    const active = this.#active
    if (!active) return this.#queueAgain(messages)
    for (const [at, { id, text }] of messages.entries()) {
      // Written down before: after a crash, the run may have it although nobody was told.
      await this.#driver.offered(id, active.runId)
      const outcome = await active.running.steer({ id, text })
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
    this.#timer = setTimeout(() => void this.#inTurn(() => this.#advance()).catch(() => {}), ms)
    if (ms > 0) this.#timer.unref()
  }

  async #advance(): Promise<void> {
    if (this.#closed) return
    if (this.#active) {
      if (!this.#active.canSteer) return
      const { queue, messages } = takeSteers(this.#queue, this.#active.turn)
      this.#queue = queue
      return this.#offer(messages)
    }
    if (!this.#driver.isFree()) return
    const next = nextTurn(this.#queue, this.#driver.now())
    this.#queue = next.queue
    if (next.type === 'wait') this.#advanceLater(Math.max(1, next.until - this.#driver.now()))
    if (next.type !== 'turn') return
    this.#driver.take()
    await this.#start(next.turn)
  }

  #runState() {
    if (this.#active) return { type: 'running', steering: this.#active.canSteer ? 'open' : 'runtime_rejected' } as const
    return this.#driver.isFree() && !this.#closed ? ({ type: 'idle' } as const) : BUSY
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.#undecided += 1
    const turn = this.#chain.then(work).finally(() => {
      this.#undecided -= 1
    })
    this.#chain = turn.catch(() => {})
    return turn
  }
}

const BUSY = { type: 'running', steering: 'not_streaming' } as const
