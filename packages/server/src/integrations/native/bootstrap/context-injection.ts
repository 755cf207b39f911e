/** When the files are put into the prompt: every turn, once until a compaction, or never. */
export type ContextInjection = 'always' | 'continuation-skip' | 'never'

/** The custom entry that says: the turn before it saw all files. */
export const FULL_CONTEXT_ENTRY = 'clawboo:bootstrap-context:full'

/** How much of a transcript's end is worth reading for the decision. */
export const CONTEXT_TAIL = { maxBytes: 256 * 1024, maxEntries: 500 } as const

export interface TailEntry {
  readonly type: string
  readonly customType?: unknown
}

/** `tail` is the end of the transcript, oldest first; entries beyond `CONTEXT_TAIL.maxEntries` do not count. */
export function injectsContext(mode: ContextInjection, tail: readonly TailEntry[]): boolean {
  if (mode !== 'continuation-skip') return mode === 'always'
  const seen = tail.slice(-CONTEXT_TAIL.maxEntries)
  const shownAt = seen.findLastIndex((entry) => entry.type === 'custom' && entry.customType === FULL_CONTEXT_ENTRY)
  const compactedAt = seen.findLastIndex((entry) => entry.type === 'compaction')
  return shownAt < 0 || compactedAt > shownAt
}
