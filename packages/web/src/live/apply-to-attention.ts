import type { LiveEvent } from '@clawboo/api'
import type { AttentionItem } from '@clawboo/core/executor'

/** The list after these events, in the server's order. Applying the same events twice changes nothing. */
export function applyToAttention(
  items: readonly AttentionItem[],
  events: readonly LiveEvent[],
): readonly AttentionItem[] {
  const byId = new Map(items.map((item) => [item.id, item]))
  let changed = false
  for (const event of events) {
    if (event.type !== 'attention-changed') continue
    const known = byId.get(event.item.id)
    // An item is settled once; an older event must not open it again.
    if (known && known.state !== 'open') continue
    byId.set(event.item.id, event.item)
    changed = true
  }
  return changed ? [...byId.values()].sort(openFirst) : items
}

/** Open ones by age, then settled ones, newest first. */
function openFirst(one: AttentionItem, other: AttentionItem): number {
  const open = Number(other.state === 'open') - Number(one.state === 'open')
  if (open !== 0) return open
  const age = one.state === 'open' ? one.createdAt - other.createdAt : (other.settledAt ?? 0) - (one.settledAt ?? 0)
  return age || (one.id < other.id ? -1 : 1)
}
