/** The possible sources of a memory's text, most trusted first. */
export const SOURCE_TRUST = ['operator', 'agent', 'teammate', 'tool', 'outside'] as const

export type SourceTrust = (typeof SOURCE_TRUST)[number]

/** The sources that an agent may claim. It cannot claim to quote the operator. */
export const AGENT_SOURCES = ['agent', 'teammate', 'tool', 'outside'] as const satisfies readonly SourceTrust[]

/** Returns the lowest trust among the sources; without sources, the lowest trust of all. */
export function leastTrusted(sources: readonly SourceTrust[]): SourceTrust {
  if (sources.length === 0) return 'outside'
  return SOURCE_TRUST[Math.max(...sources.map((source) => SOURCE_TRUST.indexOf(source)))]!
}
