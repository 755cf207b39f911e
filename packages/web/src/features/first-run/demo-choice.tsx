import { useNavigate } from '@tanstack/react-router'
import { useMakeDemoTeam } from '../../api/providers.ts'
import { leaveRoomDraft } from '../../shared/composer/room-draft-key.ts'
import { Problem } from '../../shared/problem.tsx'
import { SCRIPTED } from '../../shared/provider/provider-words.ts'
import { Button } from '../../ui/button.tsx'
import { Pill } from '../../ui/pill.tsx'
import { ChoiceCard } from './choice-card.tsx'

/** The demo team makes a task of any message; this one leads to a file worth looking at. */
const FIRST_MESSAGE = 'Write a plan for a small garden party'

export function DemoChoice() {
  const make = useMakeDemoTeam()
  const navigate = useNavigate()
  // A promise, because the fleet is no longer empty then, and this card may be unmounted.
  const start = () =>
    make.mutateAsync().then(
      ({ teamId }) => {
        leaveRoomDraft(teamId, FIRST_MESSAGE)
        void navigate({ to: '/teams/$teamId/room', params: { teamId } })
      },
      () => undefined,
    )
  return (
    <ChoiceCard
      title="Try the demo team"
      badge={<Pill tone="outline">{SCRIPTED}</Pill>}
      about="Three Boos that work together without a key or an account. Their words are scripted. Tasks, files, evidence and approvals are real."
    >
      <Button kind="primary" onClick={() => void start()} disabled={make.isPending}>
        {make.isPending ? 'Creating the team' : 'Try the demo team'}
      </Button>
      <Problem error={make.error} action="create the team" className="mt-2" />
    </ChoiceCard>
  )
}
