/** `blockedId` waits until `blockerId` is done. */
export interface TaskLink {
  readonly blockerId: string
  readonly blockedId: string
}

export type LinkVerdict =
  | { readonly ok: true; readonly changed: boolean }
  | { readonly ok: false; readonly code: 'self_link' | 'closes_cycle'; readonly message: string }

/** Decides whether a link may be created. An existing link changes nothing. */
export function judgeLink(links: readonly TaskLink[], link: TaskLink): LinkVerdict {
  const { blockerId, blockedId } = link
  if (blockerId === blockedId) return { ok: false, code: 'self_link', message: 'A task cannot wait for itself.' }
  if (links.some((known) => known.blockerId === blockerId && known.blockedId === blockedId))
    return { ok: true, changed: false }
  if (closesCycle(links, blockerId, blockedId))
    return { ok: false, code: 'closes_cycle', message: 'The tasks would wait for each other in a cycle.' }
  return { ok: true, changed: true }
}

/** Whether a link from a blocker to a blocked task closes a cycle. Visits every task and link at most once. */
export function closesCycle(links: readonly TaskLink[], from: string, to: string): boolean {
  if (from === to) return true
  const dependents = groupDependents(links)
  const seen = new Set([to])
  for (const id of seen) {
    for (const next of dependents.get(id) ?? []) {
      if (next === from) return true
      seen.add(next)
    }
  }
  return false
}

export function groupDependents(links: readonly TaskLink[]): ReadonlyMap<string, readonly string[]> {
  return group(links.map(({ blockerId, blockedId }) => [blockerId, blockedId]))
}

export function groupBlockers(links: readonly TaskLink[]): ReadonlyMap<string, readonly string[]> {
  return group(links.map(({ blockerId, blockedId }) => [blockedId, blockerId]))
}

function group(pairs: readonly (readonly [string, string])[]): ReadonlyMap<string, readonly string[]> {
  const grouped = new Map<string, string[]>()
  for (const [key, value] of pairs) {
    const values = grouped.get(key)
    if (values) values.push(value)
    else grouped.set(key, [value])
  }
  return grouped
}
