import type { BlockStreamSettings } from '../streaming/block-settings.ts'
import { createBlockStream } from '../streaming/block-stream.ts'
import type { LoopText } from './loop-ports.ts'
import type { RunEvents } from './run-events.ts'

/** Passes text on as it comes, or, when asked to, in blocks that are each worth reading. */
export function createTextOutput(events: RunEvents, blocks: BlockStreamSettings): LoopText {
  if (!blocks.enabled) {
    return {
      delta: (message, offset, text) => events.emit({ type: 'text-delta', message, offset, text }),
      end: async () => {},
    }
  }
  const stream = createBlockStream(blocks, async ({ messageIndex, offset, text }) =>
    events.emit({ type: 'text-delta', message: messageIndex, offset, text, block: true }),
  )
  return {
    delta: (message, _offset, text) => stream.text(message, text),
    end: (message) => stream.messageEnd(message),
  }
}
