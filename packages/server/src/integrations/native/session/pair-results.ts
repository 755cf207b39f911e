import type { Message, ToolCallContent, ToolResultMessage } from './message.ts'
import { toolCallsOf } from './read-message.ts'

const ABORTED_RESULT_TEXT = 'aborted'

/**
 * Calls that have no result yet. Ids are matched within one answer only, because some providers reuse the same ids in every
 * answer.
 */
export interface OpenCalls {
  readonly waiting: readonly ToolCallContent[]
}

export const NO_OPEN_CALLS: OpenCalls = { waiting: [] }

export type PairStep =
  | { readonly fits: true; readonly open: OpenCalls }
  /** `unanswered`: another message arrived before the results. `orphan`: a result without an open call. */
  | { readonly fits: false; readonly why: 'unanswered' | 'orphan' }

export function nextMessage(open: OpenCalls, message: Message): PairStep {
  if (message.role === 'toolResult') {
    const at = open.waiting.findIndex((call) => call.id === message.toolCallId)
    if (at === -1) return { fits: false, why: 'orphan' }
    return { fits: true, open: { waiting: open.waiting.toSpliced(at, 1) } }
  }
  if (open.waiting.length > 0) return { fits: false, why: 'unanswered' }
  const calls = toolCallsOf(message)
  return { fits: true, open: calls.length === 0 ? NO_OPEN_CALLS : { waiting: calls } }
}

export function abortedResult(call: ToolCallContent, timestamp: number): ToolResultMessage {
  return {
    role: 'toolResult',
    toolCallId: call.id,
    toolName: call.name,
    content: [{ type: 'text', text: ABORTED_RESULT_TEXT }],
    isError: true,
    timestamp,
  }
}

/**
 * Returns the items with exactly one result after every call: adds an aborted result for a missing one, and drops
 * duplicate and orphaned results. `standIn` creates the item of an added result.
 */
export function pairItems<Item>(
  items: readonly Item[],
  messageIn: (item: Item) => Message,
  standIn: (result: ToolResultMessage, after: Item) => Item,
): readonly Item[] {
  const paired: Item[] = []
  let open = NO_OPEN_CALLS
  let changed = false
  const closeOpenCalls = () => {
    const last = paired.at(-1)
    if (last === undefined || open.waiting.length === 0) return
    const { timestamp } = messageIn(last)
    for (const call of open.waiting) paired.push(standIn(abortedResult(call, timestamp), last))
    changed = true
    open = NO_OPEN_CALLS
  }
  for (const item of items) {
    const message = messageIn(item)
    if (message.role !== 'toolResult') closeOpenCalls()
    const step = nextMessage(open, message)
    if (step.fits) {
      open = step.open
      paired.push(item)
    } else changed = true
  }
  closeOpenCalls()
  return changed ? paired : items
}
