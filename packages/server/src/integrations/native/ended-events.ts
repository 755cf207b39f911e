import { type RuntimeEvent, SingleConsumerQueue } from '@clawboo/core/executor'

/** The events of a run nobody knows any more. */
export function endedEvents(): AsyncIterable<RuntimeEvent> {
  const queue = new SingleConsumerQueue<RuntimeEvent>()
  queue.end()
  return queue
}
