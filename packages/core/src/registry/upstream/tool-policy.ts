/** The tools that the agents of a source may use, as the upstream stores it for all of them. */
export interface ToolPolicy {
  /** null when every tool that is not denied is allowed. */
  readonly allow: readonly string[] | null
  readonly deny: readonly string[]
}

/**
 * The upstream's own tool policy, which a person changes.
 *
 * Contract. A change applies to the current policy: if someone else changed it meanwhile, it is read again and never
 * overwritten. The change is in force when the call resolves, from the agents' next runs on and across restarts of the
 * upstream. Throws `upstream_disconnected`.
 */
export interface SourceToolPolicy {
  read(): Promise<ToolPolicy>
  /** Denies some tools and removes others from the denied list. */
  change(wish: { readonly deny: readonly string[]; readonly undeny: readonly string[] }): Promise<ToolPolicy>
}
