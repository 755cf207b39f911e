import type { RuntimeEvent } from '@clawboo/core/executor'
import { type Recording, requestsIn } from '../stand-in/test-recordings.ts'
import { createTranslator, type Signal } from '../translate.ts'
import { GatewayRun } from './gateway-run.ts'
import type { UpstreamEnd } from './run-hooks.ts'

/** A run with hand-fed signals and recorded events. */
export interface FedRun {
  readonly run: GatewayRun
  readonly ends: UpstreamEnd[]
  readonly dropped: string[][]
  /** Closes the run as its owner would. Resolves to every event. */
  finish(): Promise<readonly RuntimeEvent[]>
}

export function createFedRun(): FedRun {
  const [ends, dropped] = [[] as UpstreamEnd[], [] as string[][]]
  const run = new GatewayRun({
    runId: 'ours',
    hooks: {
      over: (end) => void ends.push(end),
      drop: (keys) => void dropped.push([...keys]),
    },
  })
  return {
    run,
    ends,
    dropped,
    async finish() {
      const [end] = ends
      if (end?.how === 'error') run.close({ fault: { reason: 'model_failed', message: end.problem } })
      else run.close({ outcome: end?.how === 'final' ? 'completed' : 'aborted' })
      const events: RuntimeEvent[] = []
      for await (const event of run.events) events.push(event)
      return events
    },
  }
}

/** The signals of our run in a recording, with the prompts at the places where they were sent. */
export type FedSignal = Signal | { readonly type: 'sent'; readonly key: string; readonly text: string }

/** A repeated key is the same prompt; refused prompts are skipped. */
export function fedSignalsIn(recording: Recording): readonly FedSignal[] {
  const [first] = requestsIn(recording, 'chat.send')
  const sessionKey = String(first?.sessionKey)
  const keys = new Set<string>()
  const translate = createTranslator()
  const refused = new Set(recording.frames.map(({ frame }) => (frame.ok === false ? frame.id : null)))
  const signals = recording.frames.flatMap(({ from, frame }): readonly FedSignal[] => {
    if (from === 'gateway')
      return frame.type === 'event'
        ? translate({ event: String(frame.event), payload: frame.payload }).filter(
            (signal) => signal.sessionKey === sessionKey,
          )
        : []
    const { idempotencyKey, message, sessionKey: of } = (frame.params ?? {}) as Record<string, string>
    if (frame.method !== 'chat.send' || of !== sessionKey || keys.has(idempotencyKey!) || refused.has(frame.id))
      return []
    keys.add(idempotencyKey!)
    return [{ type: 'sent', key: idempotencyKey!, text: message! }]
  })
  return [...signals, ...silentEnds(signals)]
}

/** The ends that are concluded from silence after a failure. */
function silentEnds(signals: readonly FedSignal[]): readonly FedSignal[] {
  const over = signals.flatMap((one) => (one.type === 'over' ? [one.runId] : []))
  return signals.flatMap((one) => {
    if (one.type !== 'failed' || over.includes(one.runId)) return []
    return [{ ...one, type: 'over' as const, how: 'error' as const, text: null }]
  })
}

/** Returns the accepted prompts: a prompt after the end would start another run. */
export function feed({ run }: FedRun, signals: readonly FedSignal[]): readonly string[] {
  return signals.flatMap((one) => {
    if (one.type !== 'sent') run.take(one)
    if (one.type !== 'sent' || run.isOver) return []
    run.send({ id: `prompt of ${one.key}`, text: one.text }, one.key)
    return [`prompt of ${one.key}`]
  })
}
