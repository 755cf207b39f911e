import { getRouteApi, Link } from '@tanstack/react-router'
import { type FormEvent, useRef, useState } from 'react'
import { type Agent, useFleet } from '../../api/fleet.ts'
import { type Team, useCreateTeam } from '../../api/teams.ts'
import { AgentAvatar } from '../../shared/agent/agent-avatar.tsx'
import { fieldProblems, saveProblem } from '../../shared/problem-words.ts'
import { announce } from '../../ui/announcement.tsx'
import { Button, buttonClass, IconButton } from '../../ui/button.tsx'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { ProblemLine } from '../../ui/problem-line.tsx'
import { TextArea, TextField } from '../../ui/text-field.tsx'
import { AgentPicker } from './agent-picker.tsx'

const route = getRouteApi('/shell/teams/new')

/** Makes a team, with members from the start or none. */
export function NewTeamPage() {
  const { member } = route.useSearch()
  const navigate = route.useNavigate()
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [memberIds, setMemberIds] = useState<readonly string[]>(member ? [member] : [])
  const agents = useFleet().data?.agents ?? []
  const create = useCreateTeam()
  const made = useRef(false)
  const problems = fieldProblems(create.error)
  const open = (team: Team) => {
    made.current = true
    announce(`The team ${team.name} is here`)
    void navigate({ to: '/teams/$teamId', params: { teamId: team.id } })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const words = description.trim()
    create.mutate(
      // One that was deleted meanwhile is not shown, so it cannot be unchosen.
      {
        name,
        memberIds: memberIds.filter((id) => agents.some((agent) => agent.id === id)),
        ...(words === '' ? {} : { description: words }),
      },
      { onSuccess: ({ team }) => open(team) },
    )
  }
  return (
    <>
      <PageHeader title="New team" />
      <LeaveGuard isDirty={() => !made.current && `${name}${description}`.trim() !== ''} />
      <div className="min-h-0 flex-1 overflow-y-auto px-5 py-6">
        <form onSubmit={submit} noValidate className="flex max-w-[560px] flex-col gap-4">
          <TextField
            label="Name"
            value={name}
            onChange={(event) => setName(event.target.value)}
            error={problems.name}
            autoFocus
            autoComplete="off"
            required
          />
          <TextArea
            label="Description"
            hint="What the team is for. It can stay empty."
            value={description}
            onChange={(event) => setDescription(event.target.value)}
            error={problems.description}
            rows={3}
          />
          <FirstMembers memberIds={memberIds} onChange={setMemberIds} />
          <ProblemLine>
            {create.error && !problems.name && !problems.description ? saveProblem(create.error) : null}
          </ProblemLine>
          <div className="flex gap-2">
            <Button type="submit" kind="primary" disabled={create.isPending}>
              {create.isPending ? 'Making' : 'Make team'}
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
        nobody={agents.length === 0 ? 'There is no Boo yet; members can come later.' : 'Everyone is chosen.'}
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
