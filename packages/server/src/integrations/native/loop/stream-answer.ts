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

/** Streams one answer. Checks for an abort before reporting a failure, because an abort can cause one. */
export async function streamAnswer(
  run: {
    readonly model: LoopModel
    readonly events: RunEvents
    readonly text: LoopText
    readonly signal: AbortSignal
  },
  reply: { message: number },
  messages: readonly Message[],
): Promise<StreamedAnswer> {
  const { events, signal } = run
  let text = ''
  let ref = { provider: '', model: '' }
  for await (const event of run.model.answer(messages, signal)) {
    if (signal.aborted) break
    switch (event.t) {
      case 'attempt':
        // A new try starts from the beginning, so readers of the stream get it as a new message.
        if (text !== '') reply.message += 1
        text = ''
        ref = { provider: event.provider, model: event.model }
        break
      case 'text':
        run.text.delta(reply.message, text.length, event.delta)
        text += event.delta
        break
      case 'thinking':
        events.emit({ type: 'reasoning-delta', message: reply.message, text: event.delta })
        break
      case 'notice':
        events.emit({ type: 'status', state: event.state, detail: event.detail })
        break
      case 'failed':
        return { kind: 'failed', overflow: event.overflow, message: event.message, text, ...ref }
      case 'done':
        run.text.end(reply.message)
        return { ...event, kind: 'answered' }
    }
  }
  if (signal.aborted) return { kind: 'aborted', text, ...ref }
  return { kind: 'failed', overflow: false, message: 'the model ended without an answer', text, ...ref }
}
