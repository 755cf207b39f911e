import { useFleet } from '../api/fleet.ts'
import { useIsMakingDemoTeam } from '../api/providers.ts'
import { FleetPage } from '../features/fleet/fleet-page.tsx'
import { firstRunDismissed } from '../shared/first-run-seen.ts'
import { useValue } from '../ui/state/value-store.ts'
import { lazyPage } from './lazy-page.tsx'

const FirstRun = lazyPage(() => import('../features/first-run/first-run-page.tsx'), 'FirstRunPage', 'whenOpened')

/** The fleet; before there is one, the ways to begin. */
export function HomePage() {
  const fleet = useFleet().data
  const dismissed = useValue(firstRunDismissed)
  const making = useIsMakingDemoTeam()
  // A source that is offline may be why nobody is here; the fleet says so.
  const fresh = fleet?.agents.length === 0 && !fleet.sources.some(({ stale }) => stale)
  // Its members come one by one; the screen that makes them stays until it leads on.
  return (fresh && !dismissed) || making ? <FirstRun /> : <FleetPage />
}
