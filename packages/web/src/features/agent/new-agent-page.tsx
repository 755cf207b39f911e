import { getRouteApi, Link } from '@tanstack/react-router'
import { type FormEvent, useRef, useState } from 'react'
import { type NewAgent, useCreateAgent } from '../../api/agent/agents.ts'
import { type Runtime, useRuntimes } from '../../api/fleet.ts'
import { useTeams } from '../../api/teams.ts'
import { ProblemLine } from '../../shared/problem.tsx'
import { formProblems } from '../../shared/problem-words.ts'
import { announce } from '../../ui/announcement.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { SelectField, TextArea, TextField } from '../../ui/text-field.tsx'
import { AvatarChoice, randomSeed } from './avatar-choice.tsx'
import { ChoiceCards } from './choice-cards.tsx'

const route = getRouteApi('/shell/new')

interface Typed {
  readonly name: string
  readonly role: string
  readonly teamId: string
  readonly kind: 'agent' | 'human'
  readonly runtime: string
  readonly soul: string
  readonly seed: string
}

export function NewAgentPage() {
  const { team } = route.useSearch()
  const navigate = route.useNavigate()
  const runtimes = useRuntimes().data ?? []
  const teams = useTeams().data
  const create = useCreateAgent()
  const made = useRef(false)
  const [typed, setTyped] = useState<Typed>(() => ({
    name: '',
    role: '',
    teamId: team ?? '',
    kind: 'agent',
    runtime: '',
    soul: '',
    seed: randomSeed(),
  }))
  const change = (part: Partial<Typed>) => setTyped((before) => ({ ...before, ...part }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // The team in the address may not exist, and the person cannot deselect a team that is not in the list.
    const teamId = teams?.some((known) => known.id === typed.teamId) === false ? '' : typed.teamId
    create.mutate(newAgentBody({ ...typed, teamId }, runtimes), {
      onSuccess: (agent) => {
        made.current = true
        announce(`${agent.displayName} created`)
        void navigate({ to: '/agents/$agentId', params: { agentId: agent.id } })
      },
    })
  }
  return (
    <>
      <PageHeader title="New Boo" />
      <LeaveGuard isDirty={() => !made.current && `${typed.name}${typed.role}${typed.soul}`.trim() !== ''} />
      <div className="min-h-0 flex-1 overflow-y-auto px-5 py-6">
        <form onSubmit={submit} noValidate className="flex max-w-[760px] flex-col gap-6 wide:flex-row wide:gap-10">
          <AvatarChoice seed={typed.seed} person={typed.kind === 'human'} onChange={(seed) => change({ seed })} />
          <div className="flex min-w-0 flex-1 flex-col gap-4">
            <NewAgentFields typed={typed} change={change} runtimes={runtimes} error={create.error} />
            <div className="flex gap-2">
              <Button type="submit" kind="primary" disabled={create.isPending}>
                {create.isPending ? 'Creating' : typed.kind === 'human' ? 'Add person' : 'Create Boo'}
              </Button>
              <Link to="/" className={buttonClass()}>
                Cancel
              </Link>
            </div>
          </div>
        </form>
      </div>
    </>
  )
}

function NewAgentFields(props: {
  readonly typed: Typed
  readonly change: (part: Partial<Typed>) => void
  readonly runtimes: readonly Runtime[]
  readonly error: Error | null
}) {
  const { typed, change, runtimes, error } = props
  const shown = ['name', 'personalityConfig', 'personalityConfig.role', 'teamId', 'runtime']
  const { at: problems, rest } = formProblems(error, shown)
  return (
    <>
      <TextField
        label="Name"
        value={typed.name}
        onChange={(event) => change({ name: event.target.value })}
        error={problems.name}
        autoFocus
        autoComplete="off"
        required
      />
      <ChoiceCards
        legend="Kind"
        name="kind"
        choices={KINDS}
        chosen={typed.kind}
        onChoose={(kind) => change({ kind, runtime: '' })}
        inRow
      />
      <TextField
        label="Role"
        hint="One line about what it does (optional)."
        value={typed.role}
        onChange={(event) => change({ role: event.target.value })}
        error={problems['personalityConfig.role'] ?? problems.personalityConfig}
        autoComplete="off"
      />
      <PlaceFields typed={typed} change={change} runtimes={runtimes} problems={problems} />
      {typed.kind === 'agent' ? (
        <TextArea
          label="SOUL.md"
          hint="Who it is and how it works. You can edit this later."
          value={typed.soul}
          onChange={(event) => change({ soul: event.target.value })}
          rows={8}
          mono
        />
      ) : null}
      <ProblemLine>{rest}</ProblemLine>
    </>
  )
}

/** The team, and the runtime if there is more than one. */
function PlaceFields(props: {
  readonly typed: Typed
  readonly change: (part: Partial<Typed>) => void
  readonly runtimes: readonly Runtime[]
  readonly problems: Readonly<Record<string, string>>
}) {
  const { typed, change, runtimes, problems } = props
  const teams = useTeams().data ?? []
  const fitting = runtimes.filter((runtime) => runtime.participantKind === typed.kind)
  return (
    <>
      <SelectField
        label="Team"
        value={typed.teamId}
        onChange={(event) => change({ teamId: event.target.value })}
        error={problems.teamId}
      >
        <option value="">No team</option>
        {teams.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      {fitting.length > 1 ? (
        <SelectField
          label="Runtime"
          value={typed.runtime}
          onChange={(event) => change({ runtime: event.target.value })}
          error={problems.runtime}
        >
          <option value="">Default</option>
          {fitting.map(({ id, label }) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </SelectField>
      ) : null}
    </>
  )
}

const KINDS = [
  { value: 'agent', label: 'Boo', about: 'An AI agent' },
  { value: 'human', label: 'Person', about: 'Someone who works with the team' },
] as const

function newAgentBody(typed: Typed, runtimes: readonly Runtime[]): NewAgent {
  const human = typed.kind === 'human'
  const runtime =
    typed.runtime || (human ? runtimes.find(({ participantKind }) => participantKind === 'human')?.id : '')
  return {
    name: typed.name,
    participantKind: typed.kind,
    avatarSeed: typed.seed,
    teamId: typed.teamId === '' ? null : typed.teamId,
    ...(runtime ? { runtime } : {}),
    ...(typed.role.trim() === '' ? {} : { personalityConfig: { role: typed.role.trim() } }),
    ...(typed.soul.trim() === '' || human ? {} : { files: { 'SOUL.md': typed.soul } }),
  }
}
