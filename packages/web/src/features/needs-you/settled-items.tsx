import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { AttentionItem } from '../../api/attention.ts'
import { settledWords } from '../../shared/approval/attention-words.ts'
import { Button } from '../../ui/button.tsx'
import { useNow } from '../../ui/state/use-now.ts'
import { clockWords, exactTime } from '../../ui/words/time-words.ts'

const SHOWN_AT_ONCE = 50

/** Answered and expired items, collapsed. */
export function SettledItems({ items }: { items: readonly AttentionItem[] }) {
  const [shown, setShown] = useState(SHOWN_AT_ONCE)
  return (
    <details className="px-5 py-4">
      <summary className="w-fit rounded-s text-muted max-wide:py-2.5 hover:text-text">{`Answered · ${items.length.toLocaleString('en-GB')}`}</summary>
      <ul aria-label="Answered" className="mt-2 flex flex-col">
        {items.slice(0, shown).map((item) => (
          <SettledItem key={item.id} item={item} />
        ))}
      </ul>
      {items.length > shown ? (
        <Button className="mt-3" onClick={() => setShown(shown + SHOWN_AT_ONCE)}>
          Show more
        </Button>
      ) : null}
    </details>
  )
}

function SettledItem({ item }: { item: AttentionItem }) {
  const now = useNow()
  const at = item.settledAt ?? item.createdAt
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 border-b border-line py-2">
      <div className="min-w-0">
        <p>
          {item.title}
          <span className="text-muted">{` · ${settledWords(item)}`}</span>
        </p>
        {item.action ? <p className="truncate font-mono text-sm text-muted">{item.action.command}</p> : null}
        <p className="flex flex-wrap gap-x-3 text-sm">
          <ItemLinks item={item} />
        </p>
      </div>
      <span className="text-right text-sm text-muted tabular-nums" title={exactTime(at)}>
        {clockWords(at, now)}
      </span>
    </li>
  )
}

const linkClass = 'rounded-s text-accent-text underline-offset-2 max-wide:py-[11px] hover:underline'

export function ItemLinks({ item }: { item: AttentionItem }) {
  return (
    <>
      {item.task && item.task.teamId !== null && item.subjectId !== null ? (
        <Link
          to="/board/$teamId"
          params={{ teamId: item.task.teamId }}
          search={{ task: item.subjectId }}
          className={linkClass}
        >
          Open the task
        </Link>
      ) : null}
      {item.agentId !== null && item.agentName !== null ? (
        <Link to="/agents/$agentId" params={{ agentId: item.agentId }} className={linkClass}>
          {`Open ${item.agentName}`}
        </Link>
      ) : null}
      {item.runId !== null ? (
        <Link to="/runs/$runId" params={{ runId: item.runId }} className={linkClass}>
          See the run
        </Link>
      ) : null}
    </>
  )
}
