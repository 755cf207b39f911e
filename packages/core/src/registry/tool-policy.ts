/** Which tools the agents of a source may use, as the upstream keeps it for all of them. */
export interface ToolPolicy {
  /** null = every tool that is not denied. */
  readonly allow: readonly string[] | null
  readonly deny: readonly string[]
}

/**
 * The upstream's own policy, in a person's hand.
 *
 * Contract. A change is made on what the policy is at that moment: one that somebody else changed meanwhile is read
 * again, never overwritten. It holds when the call resolves, from the agents' next turns on, and over restarts of the
 * upstream. Throws `upstream_disconnected`.
 */
export interface SourceToolPolicy {
  read(): Promise<ToolPolicy>
  /** Denies these tools and takes the others off the list of denied ones. */
  change(wish: { readonly deny: readonly string[]; readonly undeny: readonly string[] }): Promise<ToolPolicy>
}
