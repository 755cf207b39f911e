import { getRouteApi, Link } from '@tanstack/react-router'
import { type FormEvent, useRef, useState } from 'react'
import { type Agent, useFleet } from '../../api/fleet.ts'
import { type Team, useCreateTeam } from '../../api/teams.ts'
import { AgentAvatar } from '../../shared/agent/agent-look.tsx'
import { ProblemLine } from '../../shared/problem.tsx'
import { formProblems } from '../../shared/problem-words.ts'
import { announce } from '../../ui/announcement.tsx'
import { Button, buttonClass, IconButton } from '../../ui/button.tsx'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { TextArea, TextField } from '../../ui/text-field.tsx'
import { AgentPicker } from './agent-picker.tsx'

const route = getRouteApi('/shell/teams/new')

/** Creates a team, with or without members. */
export function NewTeamPage() {
  const form = useNewTeam()
  const { typed, change, create } = form
  const { at, rest } = formProblems(create.error, ['name', 'description'])
  return (
    <>
      <PageHeader title="New team" />
      <LeaveGuard isDirty={form.isDirty} />
      <div className="min-h-0 flex-1 overflow-y-auto px-5 py-6">
        <form onSubmit={form.submit} noValidate className="flex max-w-[560px] flex-col gap-4">
          <TextField
            label="Name"
            value={typed.name}
            onChange={(event) => change({ name: event.target.value })}
            error={at.name}
            autoFocus
            autoComplete="off"
            required
          />
          <TextArea
            label="Description (optional)"
            hint="What the team is for"
            value={typed.description}
            onChange={(event) => change({ description: event.target.value })}
            error={at.description}
            rows={3}
          />
          <FirstMembers memberIds={typed.memberIds} onChange={(memberIds) => change({ memberIds })} />
          <ProblemLine>{rest}</ProblemLine>
          <div className="flex gap-2">
            <Button type="submit" kind="primary" disabled={create.isPending}>
              {create.isPending ? 'Creating' : 'Create team'}
            </Button>
            <Link to="/" className={buttonClass()}>
              Cancel
            </Link>
          </div>
        </form>
      </div>
    </>
  )
}

function useNewTeam() {
  const { member } = route.useSearch()
  const navigate = route.useNavigate()
  const initialMembers: readonly string[] = member ? [member] : []
  const [typed, setTyped] = useState({ name: '', description: '', memberIds: initialMembers })
  const agents = useFleet().data?.agents ?? []
  const create = useCreateTeam()
  const isCreated = useRef(false)
  const open = (team: Team) => {
    isCreated.current = true
    announce(`${team.name} created`)
    void navigate({ to: '/teams/$teamId', params: { teamId: team.id } })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const description = typed.description.trim()
    create.mutate(
      {
        name: typed.name,
        // A Boo that has been deleted is not shown, so the person cannot remove it from the list.
        memberIds: typed.memberIds.filter((id) => agents.some((agent) => agent.id === id)),
        ...(description === '' ? {} : { description }),
      },
      { onSuccess: ({ team }) => open(team) },
    )
  }
  return {
    typed,
    change: (part: Partial<typeof typed>) => setTyped((before) => ({ ...before, ...part })),
    create,
    submit,
    isDirty: () => !isCreated.current && `${typed.name}${typed.description}`.trim() !== '',
  }
}

function FirstMembers({
  memberIds,
  onChange,
}: {
  memberIds: readonly string[]
  onChange: (ids: readonly string[]) => void
}) {
  const agents = useFleet().data?.agents ?? []
  const chosen = memberIds.flatMap((id) => agents.find((agent) => agent.id === id) ?? [])
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 text-sm font-[550]">Members</legend>
      {chosen.length > 0 ? (
        <ul className="mb-2 flex flex-wrap gap-1.5">
          {chosen.map((agent) => (
            <ChosenMember
              key={agent.id}
              agent={agent}
              onRemove={() => onChange(memberIds.filter((id) => id !== agent.id))}
            />
          ))}
        </ul>
      ) : null}
      <AgentPicker
        agents={agents.filter((agent) => !memberIds.includes(agent.id))}
        nobody={agents.length === 0 ? 'No Boos yet. You can add members later.' : 'Everyone is chosen.'}
        onChoose={(agent) => onChange([...memberIds, agent.id])}
      />
    </fieldset>
  )
}

function ChosenMember({ agent, onRemove }: { agent: Agent; onRemove: () => void }) {
  return (
    <li className="flex items-center gap-1.5 rounded-full border border-line bg-bg pl-2">
      <AgentAvatar agent={agent} size={20} />
      {agent.displayName}
      <IconButton icon="close" label={`Leave ${agent.displayName} out`} onClick={onRemove} className="rounded-full" />
    </li>
  )
}
