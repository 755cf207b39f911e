import { type RefObject, useLayoutEffect, useRef } from 'react'
import { type AttentionItem, useAttention } from '../../api/attention.ts'
import { Loaded } from '../../shared/loaded.tsx'
import { MASCOT_SEED } from '../../ui/boo/boo-avatar.tsx'
import { focusHeading, isFocusLost, useFocusMoves } from '../../ui/keyboard/focus-place.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { EmptyState } from '../../ui/page-states.tsx'
import { useNow } from '../../ui/state/use-now.ts'
import { shortAge } from '../../ui/words/time-words.ts'
import { OpenItem } from './open-item.tsx'
import { SettledItems } from './settled-items.tsx'

export function NeedsYouPage() {
  const attention = useAttention()
  const now = useNow()
  const open = attention.data?.filter(isOpen)
  return (
    <>
      <PageHeader title="Needs you" sub={open ? summary(open, now) : undefined} />
      <Loaded reading={attention} name="what needs you" rows={3}>
        {(items) => <Items items={items} />}
      </Loaded>
    </>
  )
}

function isOpen({ state }: AttentionItem): boolean {
  return state === 'open'
}

function Items({ items }: { items: readonly AttentionItem[] }) {
  const open = items.filter(isOpen)
  const settled = items.filter((item) => !isOpen(item))
  const list = useNextItemFocus(open.map(({ id }) => id))
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <ul ref={list} aria-label="Open">
        {open.map((item) => (
          <OpenItem key={item.id} item={item} />
        ))}
      </ul>
      {open.length === 0 ? (
        <EmptyState title="You're all caught up" seed={MASCOT_SEED}>
          <p>Approvals, reviews, questions and reached limits appear here.</p>
        </EmptyState>
      ) : null}
      {settled.length > 0 ? <SettledItems items={settled} /> : null}
    </div>
  )
}

function summary(open: readonly AttentionItem[], now: number): string {
  const oldest = open[0]
  return oldest ? `${open.length} open · oldest ${shortAge(now - oldest.createdAt)}` : 'Nothing open'
}

/** When an item is answered, here or elsewhere, it leaves the list. Focus then moves to the next item, or to the heading. */
function useNextItemFocus(ids: readonly string[]): RefObject<HTMLUListElement | null> {
  const list = useRef<HTMLUListElement>(null)
  const had = useRef<string | null>(null)
  const before = useRef(ids)
  useFocusMoves((target) => {
    const item = target?.closest<HTMLElement>('[data-item]')
    had.current = item && list.current?.contains(item) ? (item.dataset.item ?? null) : null
  })
  useLayoutEffect(() => {
    const last = before.current
    before.current = ids
    if (had.current === null || ids.includes(had.current) || !isFocusLost()) return
    const next = nextItem(last, ids, had.current)
    had.current = next
    if (next === null) focusHeading()
    else list.current?.querySelector<HTMLElement>(`[data-item="${CSS.escape(next)}"] [data-answers]`)?.focus()
  })
  return list
}

/** The item that gets the focus when the focused one is gone: the next, else the previous; null = none. */
export function nextItem(before: readonly string[], now: readonly string[], had: string): string | null {
  const at = before.indexOf(had)
  const left = (id: string) => now.includes(id)
  return before.slice(at + 1).find(left) ?? before.slice(0, Math.max(0, at)).findLast(left) ?? now[0] ?? null
}
