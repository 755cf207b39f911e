import type { MessageQueue, QueueRetry } from './message-queue.ts'
import { RETRY_DELAYS_MS } from './queue-settings.ts'
import { byArrival, returnSteers, steersDelivered } from './queue-steers.ts'
import { makeTurn, type QueuedMessage, type QueueTurn } from './queue-turn.ts'

/** The turn is in the agent's own record: it is out of the queue. */
export function turnDelivered(queue: MessageQueue, turn: QueueTurn): MessageQueue {
  assertRunning(queue, turn)
  return { ...queue, running: null }
}

/** The turn did not reach the agent. It is tried again a few times, then it is out of the queue and to be reported. */
export function turnFailed(
  queue: MessageQueue,
  turn: QueueTurn,
  now: number,
): { readonly queue: MessageQueue; readonly retryAt: number | null; readonly reported: QueueTurn | null } {
  assertRunning(queue, turn)
  const failed = { ...turn, failures: turn.failures + 1 }
  const delay = RETRY_DELAYS_MS[turn.failures]
  if (delay === undefined) return { queue: { ...queue, running: null }, retryAt: null, reported: failed }
  const at = now + delay
  return {
    queue: { ...queue, running: null, retries: [{ turn: failed, at }, ...queue.retries] },
    retryAt: at,
    reported: null,
  }
}

/** The run ended before the turn was delivered and through no fault of it: its messages go to the front. */
export function turnReturned(queue: MessageQueue, turn: QueueTurn): MessageQueue {
  assertRunning(queue, turn)
  return {
    ...queue,
    running: null,
    urgent: byArrival([...queue.urgent, ...turn.messages]),
    overflow: turn.overflow ? [turn.overflow, ...queue.overflow] : queue.overflow,
  }
}

/** Takes back what is not being delivered. */
export function withdrawMessages(
  queue: MessageQueue,
  ids: readonly string[],
): { readonly queue: MessageQueue; readonly withdrawn: readonly QueuedMessage[] } {
  const isNamed = ({ id }: QueuedMessage) => ids.includes(id)
  const isKept = (message: QueuedMessage) => !isNamed(message)
  const retried = queue.retries.flatMap(({ turn }) => turn.messages)
  return {
    queue: {
      ...queue,
      retries: queue.retries.flatMap((retry) => withoutMessages(retry, isKept)),
      urgent: queue.urgent.filter(isKept),
      waiting: queue.waiting.filter(isKept),
    },
    withdrawn: [...retried, ...queue.urgent, ...queue.waiting].filter(isNamed),
  }
}

/**
 * After the process died. `delivered` has the ids of turns and steered messages that are in the agent's own record. What
 * was under way and is not goes back. A turn counts this as a failure: one that kills the process is given up in the end.
 */
export function recoverQueue(
  queue: MessageQueue,
  delivered: ReadonlySet<string>,
  now: number,
): { readonly queue: MessageQueue; readonly reported: QueueTurn | null } {
  const steered = returnSteers(steersDelivered(queue, [...delivered]))
  const turn = steered.running
  if (!turn) return { queue: steered, reported: null }
  if (delivered.has(turn.id)) return { queue: turnDelivered(steered, turn), reported: null }
  const failed = turnFailed(steered, turn, now)
  return { queue: failed.queue, reported: failed.reported }
}

function withoutMessages(retry: QueueRetry, isKept: (message: QueuedMessage) => boolean): readonly QueueRetry[] {
  const { messages, overflow, failures } = retry.turn
  const kept = messages.filter(isKept)
  if (kept.length === messages.length) return [retry]
  if (kept.length === 0 && !overflow) return []
  return [{ at: retry.at, turn: { ...makeTurn(kept, overflow), failures } }]
}

function assertRunning(queue: MessageQueue, turn: QueueTurn): void {
  if (queue.running?.id !== turn.id) throw new TypeError(`the turn ${turn.id} is not the one that runs`)
}
