import { useFleet } from '../api/fleet.ts'
import { useIsMakingDemoTeam } from '../api/providers.ts'
import { FleetPage } from '../features/fleet/fleet-page.tsx'
import { firstRunDismissed } from '../shared/first-run-seen.ts'
import { useValue } from '../ui/state/value-store.ts'
import { lazyPage } from './lazy-page.tsx'

const FirstRun = lazyPage(() => import('../features/first-run/first-run-page.tsx'), 'FirstRunPage', 'whenOpened')

/** The fleet, or the first-run screen while there are no Boos. */
export function HomePage() {
  const fleet = useFleet().data
  const dismissed = useValue(firstRunDismissed)
  const making = useIsMakingDemoTeam()
  // An offline source may be the reason for an empty fleet, and the fleet page shows that.
  const fresh = fleet?.agents.length === 0 && !fleet.sources.some(({ stale }) => stale)
  // The demo team's members appear one by one; the first-run screen stays until it navigates on.
  return (fresh && !dismissed) || making ? <FirstRun /> : <FleetPage />
}
