import { type Fleet, type Runtime, useFleet, useRuntimes } from '../../api/fleet.ts'
import { both, Loaded } from '../../shared/loaded.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { counted } from '../../ui/words/time-words.ts'
import { RuntimeCard } from './runtime-card.tsx'

export function RuntimesPage() {
  const reading = both(useRuntimes(), useFleet())
  return (
    <>
      <PageHeader title="Runtimes" sub={reading.data ? summary(...reading.data) : undefined} />
      <Loaded reading={reading} name="the runtimes" rows={3}>
        {([runtimes, fleet]) => (
          <ul aria-label="Runtimes" className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto px-5 py-5">
            {runtimes.map((runtime) => (
              <RuntimeCard key={runtime.id} runtime={runtime} fleet={fleet} />
            ))}
          </ul>
        )}
      </Loaded>
    </>
  )
}

function summary(runtimes: readonly Runtime[], { sources }: Fleet): string {
  const away = sources.filter(({ trouble }) => trouble !== 'none').length
  return [counted(runtimes.length, 'runtime'), ...(away > 0 ? [`${away} not reachable`] : [])].join(' · ')
}
