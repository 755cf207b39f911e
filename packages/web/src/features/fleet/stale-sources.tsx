import { Link } from '@tanstack/react-router'
import { type Agent, type SourceStatus, useSyncSource } from '../../api/fleet.ts'
import { announceResult } from '../../shared/problem.tsx'
import { Note, NoteButton } from '../../ui/note.tsx'
import { useNow } from '../../ui/state/use-now.ts'
import { counted, longAge } from '../../ui/words/time-words.ts'

/** One line for each source with Boos that are shown as last seen. */
export function StaleSources({ sources, agents }: { sources: readonly SourceStatus[]; agents: readonly Agent[] }) {
  const now = useNow()
  const sync = useSyncSource()
  return sources
    .filter((source) => source.stale)
    .map((source) => (
      <Note key={source.sourceId} tone="needs">
        <span>{staleWords(source, agents.filter((agent) => agent.sourceId === source.sourceId).length, now)}</span>
        {source.connectable ? (
          <Link to="/runtimes" className="rounded-s font-semibold underline-offset-2 hover:underline">
            {source.state === 'disconnected' ? 'Reconnect' : 'Show status'}
          </Link>
        ) : (
          <NoteButton
            onClick={() =>
              announceResult(
                sync.mutateAsync(source.sourceId),
                `${source.label} is up to date`,
                `refresh ${source.label}`,
              )
            }
          >
            Try now
          </NoteButton>
        )}
      </Note>
    ))
}

/** The problem of a source, its age, and the effect on its Boos. */
export function staleWords(source: SourceStatus, count: number, now: number): string {
  const state =
    source.trouble === 'broken' ? 'is unreadable' : source.state === 'disconnected' ? 'is not connected' : 'is offline'
  const since = source.lastSyncAt === null ? '' : ` Last seen ${longAge(Math.max(0, now - source.lastSyncAt))} ago.`
  const shown = count === 0 ? '' : ` Its ${counted(count, 'Boo is', 'Boos are')} shown as last seen.`
  return `${source.label} ${state}.${since}${shown}`
}
