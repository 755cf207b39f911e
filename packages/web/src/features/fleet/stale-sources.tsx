import { Link } from '@tanstack/react-router'
import type { Agent, SourceStatus } from '../../api/fleet.ts'
import { useSyncSource } from '../../api/fleet.ts'
import { problemWords } from '../../shared/problem-words.ts'
import { announce } from '../../ui/announcement.tsx'
import { Note, NoteButton } from '../../ui/note.tsx'
import { useNow } from '../../ui/state/use-now.ts'
import { staleWords } from './stale-words.ts'

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
              sync.mutate(source.sourceId, {
                onSuccess: () => announce(`${source.label} is up to date`),
                onError: (error) => announce(problemWords(error, `refresh ${source.label}`), 'bad'),
              })
            }
          >
            Try now
          </NoteButton>
        )}
      </Note>
    ))
}
