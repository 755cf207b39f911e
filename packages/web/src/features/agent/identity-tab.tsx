import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useAgent, useMoveAgent, useUpdateAgent } from '../../api/agent/agents.ts'
import { type Agent, type Runtime, useFleet, useRuntimes } from '../../api/fleet.ts'
import { useTeams } from '../../api/teams.ts'
import { AgentAvatar } from '../../shared/agent/agent-look.tsx'
import { roleOf } from '../../shared/agent/agent-words.ts'
import { announceResult, ProblemLine } from '../../shared/problem.tsx'
import { fieldProblems, problemWords, saveProblem } from '../../shared/problem-words.ts'
import { announce } from '../../ui/announcement.tsx'
import { Button } from '../../ui/button.tsx'
import { usePassesFocus } from '../../ui/keyboard/focus-place.ts'
import { Menu } from '../../ui/menu.tsx'
import { type Action, usePageActions } from '../../ui/page-actions.ts'
import { Fact, IdDetails, Section } from '../../ui/page-header.tsx'
import { Pill } from '../../ui/pill.tsx'
import { useNow } from '../../ui/state/use-now.ts'
import { SelectField } from '../../ui/text-field.tsx'
import { ago, exactTime } from '../../ui/words/time-words.ts'
import { DeleteAgentDialog } from './delete-agent-dialog.tsx'
import { IdentityForm } from './identity-form.tsx'

const route = getRouteApi('/shell/agents/$agentId')

export function IdentityTab() {
  const { agent } = useAgent(route.useParams().agentId)
  // The key prevents text typed for one Boo from appearing for another.
  return agent ? <Identity key={agent.id} agent={agent} /> : null
}

function Identity({ agent }: { agent: Agent }) {
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null)
  const navigate = useNavigate()
  usePageActions(useIdentityActions(agent, setOpen))
  // Save and Cancel close the form; focus then returns to the button that opened it.
  const identity = usePassesFocus<HTMLDivElement>(() => identity.current?.querySelector('button')?.focus())
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <Section title="Identity" about="Its name and how it looks.">
        <div ref={identity}>
          {open === 'edit' ? (
            <IdentityForm agent={agent} onClose={() => setOpen(null)} />
          ) : (
            <IdentityFacts agent={agent} onEdit={() => setOpen('edit')} />
          )}
        </div>
      </Section>
      <Section title="Team" about="Optional. A Boo is in at most one team.">
        <TeamChoice agent={agent} />
      </Section>
      <RuntimeChoice agent={agent} />
      <Section title="Delete" about="This cannot be undone.">
        <div>
          <Button kind="danger" icon="trash" onClick={() => setOpen('delete')}>
            Delete {agent.displayName}
          </Button>
        </div>
      </Section>
      {open === 'delete' ? (
        <DeleteAgentDialog
          agent={agent}
          onClose={() => setOpen(null)}
          onDeleted={() => {
            announce(`${agent.displayName} is deleted`)
            void navigate({ to: '/' })
          }}
        />
      ) : null}
    </div>
  )
}

function useIdentityActions(agent: Agent, open: (what: 'edit' | 'delete') => void): readonly Action[] {
  const teams = useTeams().data ?? []
  const runtimes = useRuntimes().data ?? []
  const { mutateAsync: update } = useUpdateAgent(agent.id)
  const { mutateAsync: move } = useMoveAgent(agent.id)
  const place = agent.displayName
  const join = (teamId: string | null, words: string) => announceResult(update({ teamId }), words, 'save')
  return [
    { id: 'edit-agent', title: 'Edit name, role and avatar', place, icon: 'pencil', run: () => open('edit') },
    ...teams
      .filter((team) => team.id !== agent.teamId)
      .map((team) => ({
        id: `join ${team.id}`,
        title: `Add to ${team.name}`,
        place,
        icon: 'team' as const,
        run: () => join(team.id, `${place} is in ${team.name} now`),
      })),
    ...(agent.teamId === null
      ? []
      : [
          {
            id: 'leave-team',
            title: 'Remove from the team',
            place,
            icon: 'team' as const,
            run: () => join(null, `${place} is not in a team now`),
          },
        ]),
    ...runtimesFor(agent, runtimes)
      .filter((runtime) => runtime.id !== agent.runtime)
      .map((runtime) => ({
        id: `move ${runtime.id}`,
        title: `Move to ${runtime.label}`,
        place,
        icon: 'move' as const,
        run: () => announceResult(move(runtime.id), `${place} runs on ${runtime.label} now`, 'save'),
      })),
    { id: 'delete-agent', title: `Delete ${place}`, icon: 'trash', run: () => open('delete') },
  ]
}

/** The identity of a Boo, read-only. */
function IdentityFacts({ agent, onEdit }: { agent: Agent; onEdit: () => void }) {
  const now = useNow()
  const runtime = useRuntimes().data?.find(({ id }) => id === agent.runtime)
  const source = useFleet().data?.sources.find(({ sourceId }) => sourceId === agent.sourceId)
  return (
    <div className="flex flex-col gap-4 wide:flex-row wide:items-start wide:gap-6">
      <AgentAvatar agent={agent} size={88} />
      <div className="min-w-0 flex-1">
        <dl className="flex flex-col">
          <Fact term="Name">{agent.displayName}</Fact>
          <Fact term="Role">{roleOf(agent) ?? <Nothing>none yet</Nothing>}</Fact>
          <Fact term="Emoji">{agent.emoji ?? <Nothing>none</Nothing>}</Fact>
          <Fact term="Kind">{agent.participantKind === 'human' ? 'Person' : 'Boo'}</Fact>
          <Fact term="Runtime">{runtime?.label ?? agent.runtime}</Fact>
          <Fact term="Source">{source?.label ?? agent.sourceId}</Fact>
          <Fact term="Created">
            <time dateTime={new Date(agent.createdAt).toISOString()} title={exactTime(agent.createdAt)}>
              {ago(agent.createdAt, now)}
            </time>
          </Fact>
        </dl>
        <IdDetails
          ids={[
            ['Id', agent.id],
            ['Id at its source', agent.sourceAgentId],
            ['Session key', agent.sessionKey ?? 'none'],
          ]}
        />
      </div>
      <Button icon="pencil" onClick={onEdit} className="self-start">
        Edit
      </Button>
    </div>
  )
}

function Nothing({ children }: { children: ReactNode }) {
  return <span className="text-muted">{children}</span>
}

/** Moves a Boo to a team or out of one; saved as soon as it is chosen. */
function TeamChoice({ agent }: { agent: Agent }) {
  const teams = useTeams().data ?? []
  const update = useUpdateAgent(agent.id)
  const team = teams.find(({ id }) => id === agent.teamId)
  const choose = (teamId: string | null) => {
    // Not `disabled`, which would lose the focus.
    if (update.isPending) return
    update.mutate(
      { teamId },
      {
        onSuccess: () => {
          const name = teams.find(({ id }) => id === teamId)?.name
          announce(name ? `${agent.displayName} is in ${name} now` : `${agent.displayName} is not in a team now`)
        },
      },
    )
  }
  return (
    <div className="flex max-w-[320px] flex-col gap-2">
      <SelectField
        label="Team"
        value={agent.teamId ?? ''}
        onChange={(event) => choose(event.target.value === '' ? null : event.target.value)}
        error={update.error ? (fieldProblems(update.error).name ?? saveProblem(update.error)) : undefined}
      >
        <option value="">No team</option>
        {teams.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <div className="flex gap-4 text-sm text-accent-text">
        {team ? (
          <Link to="/teams/$teamId" params={{ teamId: team.id }} className="underline-offset-2 hover:underline">
            Open {team.name}
          </Link>
        ) : null}
        <Link to="/teams/new" search={{ member: agent.id }} className="underline-offset-2 hover:underline">
          New team with {agent.displayName}
        </Link>
      </div>
    </div>
  )
}

/** The runtimes that a Boo can move to. A Boo from an upstream cannot move. */
function runtimesFor(agent: Agent, runtimes: readonly Runtime[]): readonly Runtime[] {
  const isSettled = runtimes.some((runtime) => runtime.id === agent.runtime && runtime.keepsItsOwn)
  return runtimes.filter(
    (runtime) =>
      runtime.id === agent.runtime ||
      (!isSettled && !runtime.keepsItsOwn && runtime.participantKind === agent.participantKind),
  )
}

/** Moves a Boo to another runtime. Shown only if there is one. */
function RuntimeChoice({ agent }: { agent: Agent }) {
  const runtimes = useRuntimes().data ?? []
  const move = useMoveAgent(agent.id)
  const fitting = runtimesFor(agent, runtimes)
  if (!fitting.some((runtime) => runtime.id !== agent.runtime)) return null
  const now = runtimes.find((runtime) => runtime.id === agent.runtime)
  return (
    <Section title="Runtime" about="The program that runs it. Its team, files and avatar stay when it moves.">
      <div className="flex flex-wrap items-center gap-3">
        <Pill tone="outline">{now?.label ?? agent.runtime}</Pill>
        <Menu
          label="Move to another runtime"
          trigger={
            <Button icon="move" aria-disabled={move.isPending}>
              {move.isPending ? 'Moving' : 'Move to'}
            </Button>
          }
          items={fitting.map((runtime) => ({
            label: runtime.label,
            hint: runtime.description,
            chosen: runtime.id === agent.runtime,
            run: () => {
              if (runtime.id === agent.runtime || move.isPending) return
              move.mutate(runtime.id, {
                onSuccess: () => announce(`${agent.displayName} runs on ${runtime.label} now`),
              })
            },
          }))}
        />
      </div>
      <ProblemLine>{move.error ? problemWords(move.error, 'move it') : null}</ProblemLine>
    </Section>
  )
}
