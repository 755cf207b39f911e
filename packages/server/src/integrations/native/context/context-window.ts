/** The factor by which an estimate can be too low. */
export const SAFETY_MARGIN = 1.2
export const DEFAULT_CONTEXT_WINDOW = 200_000
const MAX_OVERFLOW_COMPACTIONS = 3
export const COMPACTION_TIMEOUT_MS = 900_000

const RESERVE_TOKENS = 20_000
const PROMPT_FLOOR_TOKENS = 8000
const KEEP_RECENT_TOKENS = 20_000
const MIN_WINDOW_TOKENS = 4000
const MIN_GROWTH = 0.1

/** The tokens reserved for the answer. Always leaves 8000 tokens, or half of a small window, for the prompt. */
export function reserveTokens(window: number): number {
  const forPrompt = Math.min(PROMPT_FLOOR_TOKENS, Math.floor(window / 2))
  return Math.max(0, Math.min(RESERVE_TOKENS, window - forPrompt))
}

/** How much of the newest part a compaction keeps. In a small window, half of the prompt's share. */
export function keepRecentTokens(window: number): number {
  return Math.min(KEEP_RECENT_TOKENS, Math.floor((window - reserveTokens(window)) / 2))
}

/** Whether a window is too small for an agent. */
export function isWindowTooSmall(window: number): boolean {
  return window < MIN_WINDOW_TOKENS
}

export interface CompactionInputs {
  readonly contextTokens: number
  readonly window: number
  /** Size right after the last compaction; null = no compaction yet. */
  readonly tokensAfterLast: number | null
}

export type CompactionVerdict = 'not_needed' | 'compact' | 'wait_for_growth'

/** A context that has hardly grown since the last compaction is not compacted again: a call would free next to nothing. */
export function judgeCompaction({ contextTokens, window, tokensAfterLast }: CompactionInputs): CompactionVerdict {
  if (contextTokens <= window - reserveTokens(window)) return 'not_needed'
  if (tokensAfterLast !== null && contextTokens - tokensAfterLast < window * MIN_GROWTH) return 'wait_for_growth'
  return 'compact'
}

export interface PromptInputs {
  /** The estimated size of the whole request. */
  readonly promptTokens: number
  /** The size that the request may have. */
  readonly budgetTokens: number
  /** The tokens that truncating tool results would free. */
  readonly reducibleTokens: number
}

export type PromptRoute = 'send' | 'truncate_results' | 'compact' | 'compact_then_truncate'

/** Decides how to fit a request. Truncating results alone must free clearly more than the overflow. */
export function routePrompt({ promptTokens, budgetTokens, reducibleTokens }: PromptInputs): PromptRoute {
  const overflow = Math.ceil(promptTokens * SAFETY_MARGIN) - budgetTokens
  if (overflow <= 0) return 'send'
  if (reducibleTokens <= 0) return 'compact'
  return reducibleTokens >= Math.max(overflow + 512, Math.ceil(overflow * 1.5))
    ? 'truncate_results'
    : 'compact_then_truncate'
}

export type OverflowStep = 'compact' | 'give_up'

/** Decides what to do after a provider rejected a prompt as too long. A compaction that freed nothing is not repeated. */
export function afterOverflow(compactionsTried: number, lastOneFreed: boolean): OverflowStep {
  return compactionsTried < MAX_OVERFLOW_COMPACTIONS && (compactionsTried === 0 || lastOneFreed) ? 'compact' : 'give_up'
}

/** The estimates were too low, so every further compaction keeps half as much. */
export function keepAfterOverflow(window: number, compactionsTried: number): number {
  return Math.max(1, Math.floor(keepRecentTokens(window) / 2 ** compactionsTried))
}

/** The error message when the fixed parts alone do not fit, which no compaction can change; null = they fit. */
export function alwaysTooLarge(fixedTokens: number, window: number): string | null {
  if (fixedTokens <= window) return null
  return (
    `The instructions, the agent's files and the summary take about ${fixedTokens} tokens; ` +
    `the model's window has ${window}. Shorten the files or choose a model with a larger window.`
  )
}
