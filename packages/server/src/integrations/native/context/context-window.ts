/** How far an estimate may be wrong. */
export const SAFETY_MARGIN = 1.2
export const DEFAULT_CONTEXT_WINDOW = 200_000
const MAX_OVERFLOW_COMPACTIONS = 3
export const COMPACTION_TIMEOUT_MS = 900_000

const RESERVE_FLOOR_TOKENS = 20_000
const PROMPT_FLOOR_TOKENS = 8000
const KEEP_RECENT_TOKENS = 20_000
const MIN_WINDOW_TOKENS = 4000
const MIN_GROWTH = 0.1

/** Kept free for the answer; never so much that the prompt has less than 8000 tokens, or half of a small window. */
export function reserveTokens(window: number, asked = RESERVE_FLOOR_TOKENS): number {
  const forPrompt = Math.min(PROMPT_FLOOR_TOKENS, Math.floor(window / 2))
  return Math.max(0, Math.min(Math.max(asked, RESERVE_FLOOR_TOKENS), window - forPrompt))
}

/** How much of the newest part a compaction leaves as it is. In a small window, half of what a prompt may take. */
export function keepRecentTokens(window: number): number {
  return Math.min(KEEP_RECENT_TOKENS, Math.floor((window - reserveTokens(window)) / 2))
}

export type WindowVerdict = 'ok' | 'small' | 'refused'

/** `configured` is the window in use, `own` what the model is able to. */
export function judgeWindow(configured: number, own = configured): WindowVerdict {
  if (configured < MIN_WINDOW_TOKENS) return 'refused'
  return configured < Math.max(PROMPT_FLOOR_TOKENS, Math.floor(own * 0.2)) ? 'small' : 'ok'
}

export interface CompactionInputs {
  readonly contextTokens: number
  readonly window: number
  /** Size right after the last compaction; null = there was none. */
  readonly tokensAfterLast: number | null
}

export type CompactionVerdict = 'not_needed' | 'compact' | 'wait_for_growth'

/** After a turn. A context that is full again at once is not compacted again: it would cost a call and free nothing. */
export function judgeCompaction({ contextTokens, window, tokensAfterLast }: CompactionInputs): CompactionVerdict {
  if (contextTokens <= window - reserveTokens(window)) return 'not_needed'
  if (tokensAfterLast !== null && contextTokens - tokensAfterLast < window * MIN_GROWTH) return 'wait_for_growth'
  return 'compact'
}

export interface PromptInputs {
  /** Everything that would be sent, estimated. */
  readonly promptTokens: number
  /** What a prompt may take. */
  readonly budgetTokens: number
  /** What shorter tool results would free. */
  readonly reducibleTokens: number
}

export type PromptRoute = 'send' | 'truncate_results' | 'compact' | 'compact_then_truncate'

/** Before a prompt: shorter results alone must free clearly more than is missing. */
export function routePrompt({ promptTokens, budgetTokens, reducibleTokens }: PromptInputs): PromptRoute {
  const overflow = Math.ceil(promptTokens * SAFETY_MARGIN) - budgetTokens
  if (overflow <= 0) return 'send'
  if (reducibleTokens <= 0) return 'compact'
  return reducibleTokens >= Math.max(overflow + 512, Math.ceil(overflow * 1.5))
    ? 'truncate_results'
    : 'compact_then_truncate'
}

export type OverflowStep = 'compact' | 'give_up'

/** After a provider said that the prompt is too long. A compaction that freed nothing is not tried again. */
export function afterOverflow(compactionsTried: number, lastOneFreed: boolean): OverflowStep {
  return compactionsTried < MAX_OVERFLOW_COMPACTIONS && (compactionsTried === 0 || lastOneFreed) ? 'compact' : 'give_up'
}

/** Estimates that were too low kept too much: every further compaction keeps half as much. */
export function keepAfterOverflow(window: number, compactionsTried: number): number {
  return Math.max(1, Math.floor(keepRecentTokens(window) / 2 ** compactionsTried))
}

/** The one error when no compaction could help: what is always sent does not fit. null = it fits. */
export function alwaysTooLarge(fixedTokens: number, window: number): string | null {
  if (fixedTokens <= window) return null
  return (
    `The instructions, the agent's files and the summary take about ${fixedTokens} tokens; ` +
    `the model's window has ${window}. Shorten the files or choose a model with a larger window.`
  )
}
