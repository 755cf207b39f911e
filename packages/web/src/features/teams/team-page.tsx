import { resolveTeamLeader } from '@clawboo/core/registry'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { type Agent, type Fleet, useFleet } from '../../api/fleet.ts'
import { type Team, useDeleteTeam, useSetMember, useUpdateTeam } from '../../api/teams.ts'
import { AgentAvatar } from '../../shared/agent/agent-look.tsx'
import { ConfirmDialog } from '../../shared/confirm-dialog.tsx'
import { Loaded, MissingPage, TeamLoader } from '../../shared/loaded.tsx'
import { ProblemLine } from '../../shared/problem.tsx'
import { formProblems, saveProblem } from '../../shared/problem-words.ts'
import { announce } from '../../ui/announcement.tsx'
import { Button, buttonClass, FormActions } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { usePageActions } from '../../ui/page-actions.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { TextArea, TextField } from '../../ui/text-field.tsx'
import { counted } from '../../ui/words/time-words.ts'
import { AgentPickerDialog } from './agent-picker.tsx'
import { TeamMembers } from './team-members.tsx'
import { TeamProjectPart } from './team-project.tsx'

const route = getRouteApi('/shell/teams/$teamId')

export function TeamPage() {
  const { teamId } = route.useParams()
  return (
    <TeamLoader teamId={teamId} title="Team" missing={<MissingPage name="Team" />}>
      {(team) => <TeamInFleet key={team.id} team={team} />}
    </TeamLoader>
  )
}

function TeamInFleet({ team }: { team: Team }) {
  return (
    <Loaded reading={useFleet()} name="the team">
      {(fleet) => <TeamFrame team={team} fleet={fleet} />}
    </Loaded>
  )
}

function TeamFrame({ team, fleet }: { team: Team; fleet: Fleet }) {
  const [open, setOpen] = useState<'edit' | 'delete' | 'add' | null>(null)
  const navigate = route.useNavigate()
  const members = fleet.agents.filter((agent) => agent.teamId === team.id)
  const close = () => setOpen(null)
  usePageActions([
    { id: 'add-members', title: 'Add members', place: team.name, icon: 'plus', run: () => setOpen('add') },
    {
      id: 'edit-team',
      title: 'Edit name and description',
      place: team.name,
      icon: 'pencil',
      run: () => setOpen('edit'),
    },
    { id: 'delete-team', title: `Delete the team ${team.name}`, icon: 'trash', run: () => setOpen('delete') },
  ])
  return (
    <>
      <TeamHeader team={team} members={members} onEdit={() => setOpen('edit')} onDelete={() => setOpen('delete')} />
      {open === 'edit' ? (
        <EditTeamForm team={team} onClose={close} />
      ) : (
        <TeamFacts team={team} members={members} fleet={fleet} />
      )}
      <TeamProjectPart team={team} />
      <div className="flex shrink-0 items-center justify-between border-b border-line bg-bg px-5 py-2">
        <h2 className="text-sm font-semibold text-muted">Members</h2>
        <Button icon="plus" onClick={() => setOpen('add')}>
          Add members
        </Button>
      </div>
      <TeamMembers team={team} members={members} booZeroId={fleet.booZeroId} onAdd={() => setOpen('add')} />
      {open === 'add' ? <AddMembers team={team} fleet={fleet} onClose={close} /> : null}
      {open === 'delete' ? (
        <DeleteTeamDialog
          team={team}
          members={members.length}
          onClose={close}
          onDeleted={() => {
            announce(`${team.name} deleted`)
            void navigate({ to: '/' })
          }}
        />
      ) : null}
    </>
  )
}

function TeamHeader(props: {
  readonly team: Team
  readonly members: readonly Agent[]
  readonly onEdit: () => void
  readonly onDelete: () => void
}) {
  const { team } = props
  return (
    <PageHeader title={team.name} sub={memberCount(props.members)}>
      <Link to="/teams/$teamId/room" params={{ teamId: team.id }} className={buttonClass()}>
        <Icon name="chat" size={14} />
        Room
      </Link>
      <Link to="/board/$teamId" params={{ teamId: team.id }} className={buttonClass()}>
        <Icon name="board" size={14} />
        Board
      </Link>
      <Button icon="pencil" onClick={props.onEdit}>
        Edit
      </Button>
      <Button kind="danger" icon="trash" onClick={props.onDelete}>
        Delete
      </Button>
    </PageHeader>
  )
}

function TeamFacts({ team, members, fleet }: { team: Team; members: readonly Agent[]; fleet: Fleet }) {
  const { leader, why } = teamLeadership(team, members, fleet)
  return (
    <div className="flex shrink-0 flex-col gap-4 border-b border-line px-5 py-4">
      <p className={team.description ? 'max-w-[720px] whitespace-pre-line' : 'text-muted'}>
        {team.description ?? 'No description yet.'}
      </p>
      <div className="flex items-center gap-3">
        {leader ? <AgentAvatar agent={leader} size={36} /> : null}
        <div className="min-w-0">
          <h2 className="font-[560]">{leader ? `${leader.displayName} leads` : 'No leader'}</h2>
          <p className="text-sm text-muted">{why}</p>
        </div>
      </div>
    </div>
  )
}

function AddMembers({ team, fleet, onClose }: { team: Team; fleet: Fleet; onClose: () => void }) {
  const add = useSetMember(team.id)
  return (
    <AgentPickerDialog
      title={`Add to ${team.name}`}
      agents={fleet.agents.filter((agent) => agent.teamId !== team.id)}
      nobody="Everyone is in this team already."
      error={add.error ? saveProblem(add.error) : undefined}
      onClose={onClose}
      onChoose={(agent) =>
        add.mutate(
          { agentId: agent.id, member: true },
          { onSuccess: () => announce(`${agent.displayName} added to ${team.name}`) },
        )
      }
    />
  )
}

function memberCount(members: readonly Agent[]): string {
  const people = members.filter((agent) => agent.participantKind === 'human').length
  const boos = counted(members.length - people, 'Boo')
  return people === 0 ? boos : `${boos} · ${counted(people, 'person', 'people')}`
}

function DeleteTeamDialog(props: {
  readonly team: Team
  readonly members: number
  readonly onClose: () => void
  readonly onDeleted: () => void
}) {
  const { team, members, onClose, onDeleted } = props
  const remove = useDeleteTeam(team.id)
  return (
    <ConfirmDialog
      title={`Delete the team ${team.name}?`}
      change={remove}
      action="delete it"
      confirm={['Delete the team', 'Deleting']}
      keep="Keep it"
      onClose={onClose}
      onDone={onDeleted}
    >
      <p>
        {members === 0
          ? 'The team is empty. Its name and description are deleted.'
          : `Its name and description are deleted. Its ${counted(members, 'member stays', 'members stay')}, without a team, with all their files.`}
      </p>
    </ConfirmDialog>
  )
}

function EditTeamForm({ team, onClose }: { team: Team; onClose: () => void }) {
  // Compared with the form's initial values, because someone else may have changed the other fields.
  const [before] = useState(team)
  const [name, setName] = useState(team.name)
  const [description, setDescription] = useState(team.description ?? '')
  const update = useUpdateTeam(team.id)
  const { at, rest } = formProblems(update.error, ['name', 'description'])
  const save = (event: FormEvent) => {
    event.preventDefault()
    const words = description.trim()
    const patch = {
      ...(name === before.name ? {} : { name }),
      ...(words === (before.description ?? '') ? {} : { description: words === '' ? null : words }),
    }
    if (Object.keys(patch).length === 0) return onClose()
    update.mutate(patch, {
      onSuccess: (saved) => {
        announce(`Saved ${saved.team.name}`)
        onClose()
      },
    })
  }
  return (
    <form onSubmit={save} noValidate className="flex max-w-[640px] shrink-0 flex-col gap-3 px-5 py-4">
      <TextField
        label="Name"
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={at.name}
        autoFocus
        autoComplete="off"
      />
      <TextArea
        label="Description"
        value={description}
        onChange={(event) => setDescription(event.target.value)}
        error={at.description}
        rows={3}
      />
      <ProblemLine>{rest}</ProblemLine>
      <FormActions saving={update.isPending} onCancel={onClose} />
      <LeaveGuard
        isDirty={() => !update.isSuccess && (name !== before.name || description !== (before.description ?? ''))}
      />
    </form>
  )
}

interface Leadership {
  readonly leader: Agent | null
  readonly why: string
}

export function teamLeadership(team: Team, members: readonly Agent[], fleet: Fleet): Leadership {
  const { booZeroId } = fleet
  const leaderId = resolveTeamLeader({ booZeroId, leadAgentId: team.leadAgentId, members })
  const leader = fleet.agents.find((agent) => agent.id === leaderId) ?? null
  const lead = members.find((agent) => agent.id === team.leadAgentId)
  if (!leader) return { leader: null, why: 'The team is empty and there is no Boo Zero.' }
  if (leader.id === booZeroId) {
    const next =
      lead && lead.id !== leader.id
        ? ` ${lead.displayName} is the team's own lead and leads when there is no Boo Zero.`
        : ''
    return { leader, why: `${leader.displayName} is Boo Zero, and Boo Zero leads every team.${next}` }
  }
  if (leader.id === lead?.id)
    return { leader, why: `${leader.displayName} is the team's own lead, and there is no Boo Zero.` }
  return { leader, why: `${leader.displayName} is the first member; no lead is chosen, and there is no Boo Zero.` }
}
