import {
  type MessageBatch,
  type MessageQueue,
  makeBatch,
  type QueuedMessage,
  type QueueRetry,
} from './message-batch.ts'
import { RETRY_DELAYS_MS } from './queue-settings.ts'
import { byArrival } from './queue-steers.ts'

/** The agent's own record has the batch, so it leaves the queue. */
export function batchDelivered(queue: MessageQueue, batch: MessageBatch): MessageQueue {
  assertRunning(queue, batch)
  return { ...queue, running: null }
}

/** The batch did not reach the agent. The queue retries it a few times, then removes it and returns it as `reported`. */
export function batchFailed(
  queue: MessageQueue,
  batch: MessageBatch,
  now: number,
): { readonly queue: MessageQueue; readonly retryAt: number | null; readonly reported: MessageBatch | null } {
  assertRunning(queue, batch)
  const failed = { ...batch, failures: batch.failures + 1 }
  const delay = RETRY_DELAYS_MS[batch.failures]
  if (delay === undefined) return { queue: { ...queue, running: null }, retryAt: null, reported: failed }
  const at = now + delay
  return {
    queue: { ...queue, running: null, retries: [{ batch: failed, at }, ...queue.retries] },
    retryAt: at,
    reported: null,
  }
}

/** The run ended before it took the batch, and the batch was not the cause: its messages go to the front. */
export function batchReturned(queue: MessageQueue, batch: MessageBatch): MessageQueue {
  assertRunning(queue, batch)
  return {
    ...queue,
    running: null,
    urgent: byArrival([...queue.urgent, ...batch.messages]),
    overflow: batch.overflow ? [batch.overflow, ...queue.overflow] : queue.overflow,
  }
}

/** Removes messages that are not being delivered. */
export function withdrawMessages(
  queue: MessageQueue,
  ids: readonly string[],
): { readonly queue: MessageQueue; readonly withdrawn: readonly QueuedMessage[] } {
  const isNamed = ({ id }: QueuedMessage) => ids.includes(id)
  const stays = (message: QueuedMessage) => !isNamed(message)
  const retried = queue.retries.flatMap(({ batch }) => batch.messages)
  return {
    queue: {
      ...queue,
      retries: queue.retries.flatMap((retry) => withoutMessages(retry, stays)),
      urgent: queue.urgent.filter(stays),
      waiting: queue.waiting.filter(stays),
    },
    withdrawn: [...retried, ...queue.urgent, ...queue.waiting].filter(isNamed),
  }
}

function withoutMessages(retry: QueueRetry, stays: (message: QueuedMessage) => boolean): readonly QueueRetry[] {
  const { messages, overflow, failures } = retry.batch
  const rest = messages.filter(stays)
  if (rest.length === messages.length) return [retry]
  if (rest.length === 0 && !overflow) return []
  return [{ at: retry.at, batch: { ...makeBatch(rest, overflow), failures } }]
}

function assertRunning(queue: MessageQueue, batch: MessageBatch): void {
  if (queue.running?.id !== batch.id) throw new TypeError(`the batch ${batch.id} is not running`)
}
