import { useNavigate } from '@tanstack/react-router'
import { writeProblem } from '../../api/problem-words.ts'
import { useMakeDemoTeam } from '../../api/providers.ts'
import { Button } from '../../ui/button.tsx'
import { writeMessageDraft } from '../../ui/message-draft.ts'
import { Pill } from '../../ui/pill.tsx'
import { ProblemLine } from '../../ui/problem-line.tsx'
import { SCRIPTED } from '../../ui/provider-words.ts'
import { ChoiceCard } from './choice-card.tsx'

/** Something the scripted model has an answer to, with a file to look at afterwards. */
const FIRST_MESSAGE = 'Write a plan for a small garden party'

export function DemoChoice() {
  const make = useMakeDemoTeam()
  const navigate = useNavigate()
  // A promise, not a callback: the fleet is no longer empty then, and this card may be gone.
  const start = () =>
    make.mutateAsync().then(
      ({ agentIds: [leaderId] }) => {
        if (leaderId === undefined) return
        writeMessageDraft(leaderId, FIRST_MESSAGE)
        void navigate({ to: '/agents/$agentId', params: { agentId: leaderId } })
      },
      () => undefined,
    )
  return (
    <ChoiceCard
      title="Try the demo team"
      badge={<Pill tone="outline">{SCRIPTED}</Pill>}
      about="Three Boos that work without a key or an account. Their answers are written beforehand; files, commands and approvals are real."
    >
      <Button kind="primary" onClick={() => void start()} disabled={make.isPending}>
        {make.isPending ? 'Making the team' : 'Try the demo team'}
      </Button>
      <ProblemLine className="mt-2">
        {make.error ? writeProblem(make.error).replace('Not saved', 'Not made') : null}
      </ProblemLine>
    </ChoiceCard>
  )
}
