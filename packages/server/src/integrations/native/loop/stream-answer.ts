import type { Message } from '../session/message.ts'
import type { Answer, LoopModel, LoopText } from './loop-ports.ts'
import type { RunEvents } from './run-events.ts'

export type StreamedAnswer =
  | ({ readonly kind: 'answered' } & Answer)
  | { readonly kind: 'aborted'; readonly text: string; readonly provider: string; readonly model: string }
  | {
      readonly kind: 'failed'
      readonly overflow: boolean
      readonly message: string
      readonly text: string
      readonly provider: string
      readonly model: string
    }

/** Passes one answer on while it is made. An abort is looked at before anything that may have failed because of it. */
export async function streamAnswer(
  run: {
    readonly model: LoopModel
    readonly events: RunEvents
    readonly text: LoopText
    readonly signal: AbortSignal
  },
  spoken: { message: number },
  messages: readonly Message[],
): Promise<StreamedAnswer> {
  const { events, signal } = run
  let said = ''
  let ref = { provider: '', model: '' }
  for await (const event of run.model.answer(messages, signal)) {
    if (signal.aborted) break
    switch (event.t) {
      case 'attempt':
        // A new try says everything anew: it is another message for whoever reads along.
        if (said !== '') spoken.message += 1
        said = ''
        ref = { provider: event.provider, model: event.model }
        break
      case 'text':
        run.text.delta(spoken.message, said.length, event.delta)
        said += event.delta
        break
      case 'thinking':
        events.emit({ type: 'reasoning-delta', message: spoken.message, text: event.delta })
        break
      case 'notice':
        events.emit({ type: 'status', state: event.state, detail: event.detail })
        break
      case 'failed':
        return { kind: 'failed', overflow: event.overflow, message: event.message, text: said, ...ref }
      case 'done':
        await run.text.end(spoken.message)
        // The last part may have been read in the tick in which the abort came.
        if (signal.aborted) break
        return { ...event, kind: 'answered' }
    }
  }
  if (signal.aborted) return { kind: 'aborted', text: said, ...ref }
  return { kind: 'failed', overflow: false, message: 'the model ended without an answer', text: said, ...ref }
}
