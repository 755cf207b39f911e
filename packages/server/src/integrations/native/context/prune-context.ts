import type { Message, ToolResultMessage } from '../session/message.ts'
import { headOf, tailOf } from './cut-text.ts'
import { CHARS_PER_TOKEN, charsOf } from './token-estimate.ts'

const PRUNING = {
  ttlMs: 5 * 60_000,
  softTrimRatio: 0.3,
  hardClearRatio: 0.5,
  keepLastAnswers: 3,
  softTrimAboveChars: 4000,
  headChars: 1500,
  tailChars: 1500,
  minPrunableChars: 50_000,
} as const

export const CLEARED_RESULT_TEXT = '[Old tool result content cleared]'

export interface PruneInputs {
  /** The model's window. */
  readonly contextTokens: number
  /** When the provider last cached this history; null = never, so pruning would save nothing. */
  readonly lastCacheTouchAt: number | null
  readonly now: number
}

/**
 * Shortens old tool results for one request, after the provider's cache of them has expired. Changes only the request, not
 * the session, and never the person's or the model's own messages.
 */
export function pruneContext(messages: readonly Message[], inputs: PruneInputs): readonly Message[] {
  const { contextTokens, lastCacheTouchAt, now } = inputs
  if (lastCacheTouchAt === null || now - lastCacheTouchAt < PRUNING.ttlMs) return messages
  const window = contextTokens * CHARS_PER_TOKEN
  let total = messages.reduce((sum, message) => sum + charsOf(message), 0)
  const prunable = prunableResults(messages)
  if (window <= 0 || total / window < PRUNING.softTrimRatio || prunable.length === 0) return messages

  const pruned = [...messages]
  const replace = (at: number, shorter: ToolResultMessage) => {
    total += charsOf(shorter) - charsOf(pruned[at]!)
    pruned[at] = shorter
  }
  for (const at of prunable) {
    const shorter = softTrim(pruned[at] as ToolResultMessage)
    if (shorter) replace(at, shorter)
  }
  const prunableChars = prunable.reduce((sum, at) => sum + charsOf(pruned[at]!), 0)
  if (total / window >= PRUNING.hardClearRatio && prunableChars >= PRUNING.minPrunableChars) {
    for (const at of prunable) {
      if (total / window < PRUNING.hardClearRatio) break
      replace(at, { ...(pruned[at] as ToolResultMessage), content: [{ type: 'text', text: CLEARED_RESULT_TEXT }] })
    }
  }
  return pruned
}

/** The indexes of results after the first prompt and before the last answers. */
function prunableResults(messages: readonly Message[]): number[] {
  const firstPrompt = messages.findIndex((message) => message.role === 'user')
  let answers = 0
  let end = messages.length
  while (end > 0 && answers < PRUNING.keepLastAnswers) if (messages[--end]?.role === 'assistant') answers++
  if (firstPrompt === -1 || answers < PRUNING.keepLastAnswers) return []
  return messages.flatMap((message, at) => (message.role === 'toolResult' && at > firstPrompt && at < end ? [at] : []))
}

function softTrim(result: ToolResultMessage): ToolResultMessage | null {
  const text = result.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
  if (text.length <= PRUNING.softTrimAboveChars) return null
  const { headChars, tailChars } = PRUNING
  const note = `[Tool result trimmed: kept the first ${headChars} and the last ${tailChars} of ${text.length} characters.]`
  const short = `${headOf(text, headChars)}\n...\n${tailOf(text, tailChars)}\n\n${note}`
  return {
    ...result,
    content: [{ type: 'text', text: short }, ...result.content.filter((part) => part.type === 'image')],
  }
}

const TAIL_SHARE = 0.3

/** How many tokens truncating results to `maxChars` would free. */
export function reducibleTokens(messages: readonly Message[], maxChars: number): number {
  let chars = 0
  for (const message of messages) {
    if (message.role === 'toolResult') chars += Math.max(0, lengthOf(message) - maxChars)
  }
  return Math.floor(chars / CHARS_PER_TOKEN)
}

/** Truncates every longer result to `maxChars`, for one request. */
export function truncateResults(messages: readonly Message[], maxChars: number): readonly Message[] {
  return messages.map((message) => (message.role === 'toolResult' ? cutResult(message, maxChars) : message))
}

function cutResult(result: ToolResultMessage, maxChars: number): ToolResultMessage {
  const text = textOf(result)
  if (text.length <= maxChars) return result
  const notice = `\n[${text.length - maxChars} characters or more of this result were left out]\n`
  const room = Math.max(0, maxChars - notice.length)
  const tail = Math.floor(room * TAIL_SHARE)
  const short = headOf(`${headOf(text, room - tail)}${notice}${tailOf(text, tail)}`, maxChars)
  return {
    ...result,
    content: [{ type: 'text', text: short }, ...result.content.filter((part) => part.type === 'image')],
  }
}

function textOf(result: ToolResultMessage): string {
  return result.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

/** The length of `textOf` without building the text, because this runs for every result before every model call. */
function lengthOf(result: ToolResultMessage): number {
  let length = -1
  for (const part of result.content) if (part.type === 'text') length += part.text.length + 1
  return Math.max(0, length)
}
