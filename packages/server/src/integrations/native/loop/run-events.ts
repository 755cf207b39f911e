import {
  type DoneEvent,
  type ErrorEvent,
  type RuntimeEvent,
  type RuntimeEventBody,
  SingleConsumerQueue,
} from '@clawboo/core/executor'

/** The event stream of one run. Numbers the events and ends exactly once. */
export interface RunEvents {
  readonly runId: string
  readonly queue: SingleConsumerQueue<RuntimeEvent>
  /** The number of the newest event. */
  readonly seq: number
  emit(event: RuntimeEventBody): void
  /** Emits the last event. Later events are dropped. */
  end(event: DoneEvent | ErrorEvent): void
}

export function createRunEvents(runId: string, sessionId: string, now: () => number): RunEvents {
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
    get seq() {
      return seq
    },
    emit,
    end(event) {
      emit(event)
      queue.end()
    },
  }
}
