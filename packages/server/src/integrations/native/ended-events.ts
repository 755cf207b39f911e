import { type RuntimeEvent, SingleConsumerQueue } from '@clawboo/core/executor'

/** The event stream of an unknown run: empty and ended. */
export function endedEvents(): AsyncIterable<RuntimeEvent> {
  const queue = new SingleConsumerQueue<RuntimeEvent>()
  queue.end()
  return queue
}
