import { NOTHING_HELD, passOn, SILENT_TOKEN } from '../prompt/silent-reply.ts'
import type { BlockStreamSettings } from '../streaming/block-settings.ts'
import { BlockStream } from '../streaming/block-stream.ts'
import type { LoopText } from './loop-ports.ts'
import type { RunEvents } from './run-events.ts'

/** Emits text as it arrives, or in readable blocks when block streaming is on. */
export function createTextOutput(events: RunEvents, blocks: BlockStreamSettings): LoopText {
  if (!blocks.enabled) return asItComes(events)
  const stream = new BlockStream({ silentReply: SILENT_TOKEN, ...blocks }, ({ messageIndex, offset, text }) =>
    events.emit({ type: 'text-delta', message: messageIndex, offset, text, block: true }),
  )
  return {
    delta: (message, text) => stream.text(message, text),
    end: (message) => stream.messageEnd(message),
  }
}

/** Emits every delta at once, but holds back a beginning that may turn out to be a silent reply. */
function asItComes(events: RunEvents): LoopText {
  let current = { message: -1, held: NOTHING_HELD, offset: 0 }
  const pass = (message: number, chunk: string, ended: boolean) => {
    if (current.message !== message) current = { message, held: NOTHING_HELD, offset: 0 }
    const { held, release } = passOn(current.held, chunk, ended)
    if (release !== '') events.emit({ type: 'text-delta', message, offset: current.offset, text: release })
    current = { message, held, offset: current.offset + release.length }
  }
  return {
    delta: (message, text) => pass(message, text, false),
    end: (message) => pass(message, '', true),
  }
}
