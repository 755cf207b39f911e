import { haveSameSender, type MessageQueue, type QueuedMessage } from './message-batch.ts'

/** The agent's own record has these messages. */
export function steersDelivered(queue: MessageQueue, ids: readonly string[]): MessageQueue {
  return { ...queue, steering: queue.steering.filter(({ id }) => !ids.includes(id)) }
}

/** The run refused these messages, so they wait in order of arrival. */
export function steersRefused(queue: MessageQueue, ids: readonly string[], now: number): MessageQueue {
  const refused = queue.steering.filter(({ id }) => ids.includes(id))
  return {
    ...queue,
    steering: queue.steering.filter(({ id }) => !ids.includes(id)),
    waiting: byArrival([...queue.waiting, ...refused]),
    lastQueuedAt: refused.length > 0 ? now : queue.lastQueuedAt,
  }
}

/** The run ended without these messages, so they go to the front in order of arrival. */
export function returnSteers(queue: MessageQueue): MessageQueue {
  if (queue.steering.length === 0) return queue
  return { ...queue, steering: [], urgent: byArrival([...queue.urgent, ...queue.steering]) }
}

/** Takes the messages that were waiting for a run of this sender that they can steer. */
export function takeSteers(
  queue: MessageQueue,
  run: { readonly sender: string },
): { readonly queue: MessageQueue; readonly messages: readonly QueuedMessage[] } {
  if (isSteeringBlocked(queue)) return { queue, messages: [] }
  const parked = parkedSteers(queue)
  const messages = parked.slice(
    0,
    countLeading(parked, (message) => haveSameSender(message, run)),
  )
  return { queue: moveToSteering(queue, messages), messages }
}

/** Messages that wait only because there was no run to steer. */
export function parkedSteers(queue: MessageQueue): readonly QueuedMessage[] {
  return [...queue.urgent, ...queue.waiting].filter((message) => message.mode === 'steer')
}

/** Nothing may overtake a failed batch that waits for its retry, or an interrupt that is about to abort the run. */
export function isSteeringBlocked(queue: MessageQueue): boolean {
  return queue.retries.length > 0 || queue.urgent.some(({ mode }) => mode === 'interrupt')
}

export function moveToSteering(queue: MessageQueue, messages: readonly QueuedMessage[]): MessageQueue {
  const stays = (message: QueuedMessage) => !messages.includes(message)
  return {
    ...queue,
    steering: [...queue.steering, ...messages],
    urgent: queue.urgent.filter(stays),
    waiting: queue.waiting.filter(stays),
  }
}

export function byArrival(messages: readonly QueuedMessage[]): readonly QueuedMessage[] {
  return messages.toSorted((a, b) => a.seq - b.seq)
}

export function countLeading(messages: readonly QueuedMessage[], belongs: (message: QueuedMessage) => boolean): number {
  const end = messages.findIndex((message) => !belongs(message))
  return end === -1 ? messages.length : end
}
