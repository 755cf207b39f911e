import {
  type DoneEvent,
  type ErrorEvent,
  type RuntimeEvent,
  type RuntimeEventBody,
  SingleConsumerQueue,
} from '@clawboo/core/executor'

export type RunEvents = ReturnType<typeof createRunEvents>

/** The event stream of one run. Numbers the events and ends exactly once. */
export function createRunEvents(runId: string, sessionId: string, now: () => number) {
  const queue = new SingleConsumerQueue<RuntimeEvent>()
  let seq = 0
  const emit = (event: RuntimeEventBody) => {
    if (queue.ended) return
    seq += 1
    queue.push({ runId, sessionId, ts: now(), seq, ...event })
  }
  return {
    runId,
    queue,
    /** The number of the newest event. */
    get seq(): number {
      return seq
    },
    emit,
    /** Emits the last event. Later events are dropped. */
    end(event: DoneEvent | ErrorEvent): void {
      emit(event)
      queue.end()
    },
  }
}
