import { type AuditEntry, useAudit } from '../../api/access.ts'
import { useFleet } from '../../api/fleet.ts'
import { useTeams } from '../../api/teams.ts'
import { readProblem } from '../../shared/problem-words.ts'
import { Button } from '../../ui/button.tsx'
import { useNow } from '../../ui/state/use-now.ts'
import { clockWords, exactTime } from '../../ui/words/time-words.ts'

export function AuditList() {
  const audit = useAudit()
  const entries = audit.data?.pages.flat() ?? []
  if (audit.error) {
    const problem = readProblem(audit.error, 'the audit')
    return (
      <div role="alert" className="flex flex-col items-start gap-2 text-muted">
        <p>{`${problem.title}. ${problem.detail}`}</p>
        <Button onClick={() => void audit.refetch()}>Try again</Button>
      </div>
    )
  }
  if (audit.isPending) {
    return (
      <p role="status" className="text-muted">
        Loading the audit
      </p>
    )
  }
  if (entries.length === 0) return <p className="text-muted">No changes yet. Every change is listed here.</p>
  return (
    <>
      <ol className="flex flex-col">
        {entries.map((entry) => (
          <AuditLine key={entry.id} entry={entry} />
        ))}
      </ol>
      {audit.hasNextPage ? (
        <div>
          <Button onClick={() => void audit.fetchNextPage()} disabled={audit.isFetchingNextPage}>
            {audit.isFetchingNextPage ? 'Loading' : 'Load more'}
          </Button>
        </div>
      ) : null}
    </>
  )
}

function AuditLine({ entry }: { entry: AuditEntry }) {
  const now = useNow()
  const subject = useSubjectName(entry.subject)
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto_auto] items-baseline gap-x-4 border-b border-line py-1.5">
      <span className="truncate">
        {actionWords(entry.action)}
        {subject ? <span className="text-muted">{` · ${subject}`}</span> : null}
      </span>
      <span className="text-sm text-muted">{entry.actor}</span>
      <span className="text-right text-sm text-muted tabular-nums" title={exactTime(entry.at)}>
        {clockWords(entry.at, now)}
      </span>
    </li>
  )
}

/** The name if there is one; a deleted subject has only its id. */
function useSubjectName(subject: string): string {
  const agents = useFleet().data?.agents
  const teams = useTeams().data
  return subject
    .split(/([\s/]+)/)
    .map((part) => {
      const id = part.replace(/^(agent|team):/, '')
      return (
        agents?.find((agent) => agent.id === id)?.displayName ?? teams?.find((team) => team.id === id)?.name ?? part
      )
    })
    .join('')
}

/** "agent.create" reads as "Agent create". */
function actionWords(action: string): string {
  const words = action.replace(/[._-]+/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
