import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { MessageQueue } from './message-batch.ts'
import {
  acceptMessage,
  createMessageQueue,
  heldMessages,
  type InboundMessage,
  nextBatch,
  type RunState,
} from './message-queue.ts'
import { batchDelivered, batchFailed, batchReturned, withdrawMessages } from './queue-outcomes.ts'
import type { QueueSettings } from './queue-settings.ts'
import { steersDelivered, steersRefused, takeSteers } from './queue-steers.ts'

const idle: RunState = { type: 'idle' }
const open: RunState = { type: 'running', steering: 'open' }
const compacting: RunState = { type: 'running', steering: 'compacting' }

type Step =
  | {
      readonly do: 'say'
      readonly mode: NonNullable<InboundMessage['mode']>
      readonly who: string
    }
  | {
      readonly do:
        | 'repeat'
        | 'open'
        | 'close'
        | 'deliver'
        | 'fail'
        | 'return'
        | 'end'
        | 'steered'
        | 'unsteered'
        | 'offer'
    }
  | { readonly do: 'withdraw'; readonly which: number }
  | { readonly do: 'wait'; readonly ms: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('say' as const),
      mode: fc.constantFrom('steer', 'followup', 'collect', 'interrupt'),
      who: fc.constantFrom('ada', 'ada', 'ada', 'bob'),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'repeat',
        'open',
        'close',
        'deliver',
        'fail',
        'return',
        'end',
        'steered',
        'unsteered',
        'offer',
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('withdraw' as const), which: fc.nat(8) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(10, 600, 40_000) }) },
)

const settings = fc.record({
  mode: fc.constant('steer' as const),
  debounceMs: fc.constantFrom(0, 500),
  cap: fc.integer({ min: 1, max: 4 }),
  drop: fc.constantFrom('summarize' as const, 'old' as const, 'new' as const),
})

/** Uses the queue as a server does, and records what happened to every message. */
class Host {
  queue: MessageQueue
  now = 0
  run: RunState = idle
  sent = 0
  accepted: string[] = []
  settled: string[] = []
  delivered: { id: string; who: string; mode: string }[] = []
  summarized = 0
  summariesSeen = 0

  constructor(settings: QueueSettings) {
    this.queue = createMessageQueue(settings)
  }

  say(message: InboundMessage): void {
    const result = acceptMessage(this.queue, message, this.run, this.now)
    this.queue = result.queue
    if (result.verdict !== 'refused') this.accepted.push(message.id)
    this.settled.push(...result.dropped.map(({ id }) => id))
    if (this.queue.settings.drop === 'summarize') this.summarized += result.dropped.length
    if (result.verdict === 'start') this.run = open
  }

  deliver(messages: readonly { id: string; sender: string; mode: string }[]): void {
    this.settled.push(...messages.map(({ id }) => id))
    this.delivered.push(...messages.map(({ id, sender, mode }) => ({ id, who: sender, mode })))
  }

  take(next: Step): void {
    const { running } = this.queue
    const first = this.queue.steering[0]
    switch (next.do) {
      case 'say':
        this.sent += 1
        this.say({
          id: `m${this.sent}`,
          text: `text ${this.sent}`,
          sender: next.who,
          mode: next.mode,
        })
        return
      case 'repeat':
        if (this.accepted.length > 0) this.say({ id: this.accepted.at(-1)!, text: '', sender: 'ada' })
        return
      case 'open':
      case 'close':
        if (this.run.type === 'running') this.run = next.do === 'open' ? open : compacting
        return
      case 'wait':
        this.now += next.ms
        return
      case 'deliver':
        if (!running) return
        this.queue = batchDelivered(this.queue, running)
        this.summariesSeen += running.overflow?.count ?? 0
        this.deliver(running.messages)
        return
      case 'fail': {
        if (!running) return
        const { queue, reported } = batchFailed(this.queue, running, this.now)
        this.queue = queue
        this.run = idle
        this.summariesSeen += reported?.overflow?.count ?? 0
        this.settled.push(...(reported?.messages ?? []).map(({ id }) => id))
        return
      }
      case 'return':
        if (running) this.queue = batchReturned(this.queue, running)
        this.run = idle
        return
      case 'end': {
        if (running) return
        this.run = idle
        const upcoming = nextBatch(this.queue, this.now)
        this.queue = upcoming.queue
        if (upcoming.type === 'batch') this.run = open
        return
      }
      case 'steered':
        if (!first || running || this.run.type === 'idle') return
        this.queue = steersDelivered(this.queue, [first.id])
        this.deliver([first])
        return
      case 'unsteered':
        this.queue = steersRefused(
          this.queue,
          this.queue.steering.map(({ id }) => id),
          this.now,
        )
        return
      case 'offer':
        if (this.run.type === 'running') this.queue = takeSteers(this.queue, { sender: 'ada' }).queue
        return
      case 'withdraw': {
        const { queue, withdrawn } = withdrawMessages(this.queue, this.accepted.slice(next.which, next.which + 1))
        this.queue = queue
        this.settled.push(...withdrawn.map(({ id }) => id))
      }
    }
  }

  finish(): void {
    for (
      let round = 0;
      round < 1_000 && (heldMessages(this.queue).length > 0 || this.queue.overflow.length > 0 || this.queue.running);
      round += 1
    ) {
      this.now += 40_000
      this.take({ do: 'deliver' })
      this.take({ do: 'end' })
    }
  }
}

const steps = fc.array(step, { maxLength: 60 })

test('[EX77] every accepted message is either in the queue or was settled exactly once', () => {
  fc.assert(
    fc.property(settings, steps, (chosen, all) => {
      const host = new Host(chosen)
      for (const next of all) {
        host.take(next)
        const everywhere = [...host.settled, ...heldMessages(host.queue).map(({ id }) => id)]
        expect(everywhere.toSorted()).toEqual(host.accepted.toSorted())
      }
      host.finish()
      expect(host.settled.toSorted()).toEqual(host.accepted.toSorted())
      expect(host.summariesSeen).toBe(host.summarized)
    }),
  )
})

test('[EX78] without interrupts, a sender’s messages of one mode arrive in the order in which they were accepted', () => {
  const calm = steps.map((all) => all.filter((next) => next.do !== 'say' || next.mode !== 'interrupt'))
  fc.assert(
    fc.property(settings, calm, (chosen, all) => {
      const host = new Host(chosen)
      for (const next of all) host.take(next)
      host.finish()
      for (const who of ['ada', 'bob'])
        for (const modes of [['steer'], ['followup', 'collect']]) {
          const ids = host.delivered.filter((one) => one.who === who && modes.includes(one.mode)).map(({ id }) => id)
          expect(ids).toEqual(host.accepted.filter((id) => ids.includes(id)))
        }
    }),
  )
})

test('[EX79] no batch mixes messages from different senders', () => {
  fc.assert(
    fc.property(settings, steps, (chosen, all) => {
      const host = new Host(chosen)
      for (const next of all) {
        host.take(next)
        const { running } = host.queue
        if (!running) continue
        expect(running.messages.every((message) => message.sender === running.sender)).toBe(true)
      }
    }),
  )
})
