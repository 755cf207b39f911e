/** Where the words of a memory may come from, the most trusted first. */
export const SOURCE_TRUST = ['operator', 'agent', 'teammate', 'tool', 'outside'] as const

export type SourceTrust = (typeof SOURCE_TRUST)[number]

/** What an agent may say about its words. It cannot speak for the operator. */
export const AGENT_SOURCES = ['agent', 'teammate', 'tool', 'outside'] as const satisfies readonly SourceTrust[]

/** A text is trusted like the least trusted of what went into it; one that says nothing, like the least of all. */
export function leastTrusted(sources: readonly SourceTrust[]): SourceTrust {
  if (sources.length === 0) return 'outside'
  return SOURCE_TRUST[Math.max(...sources.map((source) => SOURCE_TRUST.indexOf(source)))]!
}
