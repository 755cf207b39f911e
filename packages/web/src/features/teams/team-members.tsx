import { Link } from '@tanstack/react-router'
import { type Agent, useRuntimes } from '../../api/fleet.ts'
import { type Team, useSetLead, useSetMember } from '../../api/teams.ts'
import { AgentAvatar, StatePill, useAgentState } from '../../shared/agent/agent-look.tsx'
import { roleOf } from '../../shared/agent/agent-words.ts'
import { announceResult } from '../../shared/problem.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Menu } from '../../ui/menu.tsx'
import { EmptyState } from '../../ui/page-states.tsx'
import { Pill } from '../../ui/pill.tsx'
import { VirtualList } from '../../ui/virtual-list.tsx'

export function TeamMembers(props: {
  readonly team: Team
  readonly members: readonly Agent[]
  readonly booZeroId: string | null
  readonly onAdd: () => void
}) {
  const { team, members } = props
  if (members.length === 0) {
    return (
      <EmptyState title="No members yet">
        <p>Add Boos, or create a new one.</p>
        <div className="flex gap-2">
          <Button kind="primary" onClick={props.onAdd}>
            Add members
          </Button>
          <Link
            to="/new"
            search={{ team: team.id }}
            className="self-center text-accent-text max-wide:py-[11px] hover:underline"
          >
            Create a Boo
          </Link>
        </div>
      </EmptyState>
    )
  }
  return (
    <VirtualList
      label={`Members of ${team.name}`}
      items={members}
      keyOf={keyOfMember}
      heightOf={() => 48}
      render={(agent) => <MemberRow team={team} agent={agent} booZero={agent.id === props.booZeroId} />}
    />
  )
}

function keyOfMember(agent: Agent): string {
  return agent.id
}

function MemberRow({ team, agent, booZero }: { team: Team; agent: Agent; booZero: boolean }) {
  const state = useAgentState(agent)
  const runtime = useRuntimes().data?.find(({ id }) => id === agent.runtime)
  const lead = team.leadAgentId === agent.id
  const person = agent.participantKind === 'human'
  return (
    <div className="grid h-full grid-cols-[minmax(0,1fr)_auto_auto] items-center gap-3 border-b border-line pr-3 pl-5 hover:bg-bg wide:grid-cols-[minmax(0,2fr)_minmax(0,1fr)_minmax(120px,auto)_auto]">
      <Link
        to="/agents/$agentId"
        params={{ agentId: agent.id }}
        className="flex min-w-0 items-center gap-2.5 rounded-s max-wide:min-h-10"
      >
        <AgentAvatar agent={agent} />
        <span className="min-w-0">
          <span className="flex items-baseline gap-2 leading-tight">
            <span className="truncate font-[560]">{agent.displayName}</span>
            {booZero ? <span className="shrink-0 text-xs font-[550] text-accent-text">Boo Zero</span> : null}
            {lead ? <span className="shrink-0 text-xs font-[550] text-good">lead</span> : null}
          </span>
          <span className="block truncate text-xs leading-tight text-muted">{roleOf(agent) ?? ''}</span>
        </span>
      </Link>
      <span className="hidden min-w-0 wide:block">
        {person ? null : <Pill tone="outline">{runtime?.label ?? agent.runtime}</Pill>}
      </span>
      <span className="text-right">{person ? <Pill tone="outline">Person</Pill> : <StatePill state={state} />}</span>
      <MemberMenu team={team} agent={agent} lead={lead} />
    </div>
  )
}

function MemberMenu({ team, agent, lead }: { team: Team; agent: Agent; lead: boolean }) {
  const setMember = useSetMember(team.id)
  const setLead = useSetLead(team.id)
  const name = agent.displayName
  const report = (written: Promise<unknown>, words: string) => announceResult(written, words, 'change the team')
  return (
    <Menu
      label={`Actions for ${name}`}
      trigger={<IconButton icon="more" label={`Actions for ${name}`} />}
      items={[
        lead
          ? {
              label: 'No longer lead',
              icon: 'check',
              run: () => report(setLead.mutateAsync(null), `${team.name} has no lead now`),
            }
          : {
              label: 'Make lead',
              icon: 'check',
              hint: 'Leads when there is no Boo Zero',
              run: () => report(setLead.mutateAsync(agent.id), `${name} is now the lead of ${team.name}`),
            },
        {
          label: 'Remove from the team',
          icon: 'leave',
          hint: `${name} stays, without a team`,
          run: () =>
            report(setMember.mutateAsync({ agentId: agent.id, member: false }), `${name} is not in a team now`),
        },
      ]}
    />
  )
}
