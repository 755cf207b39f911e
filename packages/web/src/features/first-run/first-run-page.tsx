import { Link, useNavigate } from '@tanstack/react-router'
import { useMakeDemoTeam } from '../../api/providers.ts'
import { leaveRoomDraft } from '../../shared/composer/room-draft-key.ts'
import { dismissFirstRun } from '../../shared/first-run-seen.ts'
import { Problem } from '../../shared/problem.tsx'
import { SCRIPTED } from '../../shared/provider/provider-words.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Pill } from '../../ui/pill.tsx'
import { KeyChoice } from './key-choice.tsx'
import { LocalChoice } from './local-choice.tsx'
import { ChoiceCard } from './model-step.tsx'

/** The first screen while there are no Boos: three ways to a Boo that answers. */
export function FirstRunPage() {
  return (
    <>
      <PageHeader title="Fleet" documentTitle="Welcome" sub="No Boos yet">
        <Link to="/new" className={buttonClass()}>
          <Icon name="plus" size={14} />
          New Boo
        </Link>
      </PageHeader>
      <div className="min-h-0 flex-1 overflow-y-auto px-5 py-8">
        <div className="mx-auto flex max-w-[760px] flex-col gap-4">
          <div className="mb-2">
            <h2 className="text-xl font-[620] tracking-[-0.01em]">Start your first team</h2>
            <p className="mt-1 max-w-[62ch] text-muted">
              A Boo is an AI agent with a name, a face and files that say who it is and what it remembers. It needs a
              model to think with.
            </p>
          </div>
          <DemoChoice />
          <KeyChoice />
          <LocalChoice />
          <p className="text-sm text-muted">
            Or{' '}
            <Link to="/new" className="text-accent-text underline">
              make a Boo now
            </Link>{' '}
            and choose its model later.{' '}
            <button
              type="button"
              onClick={dismissFirstRun}
              className="rounded-s text-accent-text underline underline-offset-2"
            >
              Skip and look around
            </button>
          </p>
        </div>
      </div>
    </>
  )
}

/** The demo team creates a task for any message; this message leads to a file with readable content. */
const FIRST_MESSAGE = 'Write a plan for a small garden party'

function DemoChoice() {
  const make = useMakeDemoTeam()
  const navigate = useNavigate()
  // A promise, because this card may be unmounted once the fleet is no longer empty.
  const start = () =>
    make.mutateAsync().then(
      ({ teamId }) => {
        leaveRoomDraft(teamId, FIRST_MESSAGE)
        void navigate({ to: '/teams/$teamId/room', params: { teamId } })
      },
      // The error is shown below.
      () => undefined,
    )
  return (
    <ChoiceCard
      title="Try the demo team"
      badge={<Pill tone="outline">{SCRIPTED}</Pill>}
      about="Three Boos that work together without a key or an account. Their replies are scripted. Tasks, files, evidence and approvals are real."
    >
      <Button kind="primary" onClick={() => void start()} disabled={make.isPending}>
        {make.isPending ? 'Creating the team' : 'Try the demo team'}
      </Button>
      <Problem error={make.error} action="create the team" className="mt-2" />
    </ChoiceCard>
  )
}
