import { Link } from '@tanstack/react-router'
import type { AttentionItem } from '../../api/attention.ts'

const linkClass = 'rounded-s text-accent-text underline-offset-2 max-wide:py-[11px] hover:underline'

/** Links to the item's task, Boo and run. */
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
