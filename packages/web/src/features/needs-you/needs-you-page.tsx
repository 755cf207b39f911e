import { type AttentionItem, useAttention } from '../../api/attention.ts'
import { readProblem } from '../../shared/problem-words.ts'
import { MASCOT_SEED } from '../../ui/boo/boo-avatar.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { EmptyState, ErrorState, LoadingState } from '../../ui/page-states.tsx'
import { useNow } from '../../ui/state/use-now.ts'
import { shortAge } from '../../ui/words/time-words.ts'
import { OpenItem } from './open-item.tsx'
import { SettledItems } from './settled-items.tsx'
import { useNextItemFocus } from './use-next-item-focus.ts'

/** The items that wait for a person, each with its answers. */
export function NeedsYouPage() {
  const { data, error, refetch } = useAttention()
  const now = useNow()
  const open = data?.filter((item) => item.state === 'open')
  return (
    <>
      <PageHeader title="Needs you" sub={open ? summary(open, now) : undefined} />
      {data && open ? (
        <Items open={open} settled={data.filter((item) => item.state !== 'open')} />
      ) : error ? (
        <ErrorState {...readProblem(error, 'what needs you')} onRetry={() => void refetch()} />
      ) : (
        <LoadingState what="what needs you" rows={3} />
      )}
    </>
  )
}

function Items({ open, settled }: { open: readonly AttentionItem[]; settled: readonly AttentionItem[] }) {
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
