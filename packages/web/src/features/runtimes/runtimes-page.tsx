import { type Fleet, type Runtime, useFleet, useRuntimes } from '../../api/fleet.ts'
import { readProblem } from '../../shared/problem-words.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { ErrorState, LoadingState } from '../../ui/page-states.tsx'
import { counted } from '../../ui/words/time-words.ts'
import { RuntimeCard } from './runtime-card.tsx'

/** The runtimes, their states and their connections. */
export function RuntimesPage() {
  const runtimes = useRuntimes()
  const fleet = useFleet()
  const error = runtimes.error ?? fleet.error
  const isRead = runtimes.data && fleet.data
  return (
    <>
      <PageHeader title="Runtimes" sub={isRead ? summary(runtimes.data, fleet.data) : undefined} />
      {isRead ? (
        <ul aria-label="Runtimes" className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto px-5 py-5">
          {runtimes.data.map((runtime) => (
            <RuntimeCard key={runtime.id} runtime={runtime} fleet={fleet.data} />
          ))}
        </ul>
      ) : error ? (
        <ErrorState
          {...readProblem(error, 'the runtimes')}
          onRetry={() => {
            void runtimes.refetch()
            void fleet.refetch()
          }}
        />
      ) : (
        <LoadingState what="the runtimes" rows={3} />
      )}
    </>
  )
}

function summary(runtimes: readonly Runtime[], { sources }: Fleet): string {
  const away = sources.filter(({ trouble }) => trouble !== 'none').length
  return [counted(runtimes.length, 'runtime'), ...(away > 0 ? [`${away} not reachable`] : [])].join(' · ')
}
