import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useAgent, useMoveAgent, useUpdateAgent } from '../../api/agent/agents.ts'
import type { Agent } from '../../api/fleet.ts'
import { useRuntimes } from '../../api/fleet.ts'
import { useTeams } from '../../api/teams.ts'
import { problemWords } from '../../shared/problem-words.ts'
import { announce } from '../../ui/announcement.tsx'
import { Button } from '../../ui/button.tsx'
import { usePassesFocus } from '../../ui/keyboard/focus-place.ts'
import { type Action, usePageActions } from '../../ui/page-actions.ts'
import { Section } from '../../ui/page-header.tsx'
import { DeleteAgentDialog } from './delete-agent-dialog.tsx'
import { IdentityFacts } from './identity-facts.tsx'
import { IdentityForm } from './identity-form.tsx'
import { RuntimeChoice, runtimesFor } from './runtime-choice.tsx'
import { TeamChoice } from './team-choice.tsx'

const route = getRouteApi('/shell/agents/$agentId')

export function IdentityTab() {
  const { agent } = useAgent(route.useParams().agentId)
  // Keyed, so that text typed for one Boo never appears for another.
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
  const { mutate: update } = useUpdateAgent(agent.id)
  const { mutate: move } = useMoveAgent(agent.id)
  const place = agent.displayName
  const failed = (error: Error) => announce(problemWords(error, 'save'), 'bad')
  const join = (teamId: string | null, words: string) =>
    update({ teamId }, { onSuccess: () => announce(words), onError: failed })
  return [
    { id: 'edit-agent', title: 'Edit name, role and avatar', place, icon: 'pencil', run: () => open('edit') },
    ...teams
      .filter((team) => team.id !== agent.teamId)
      .map((team) => ({
        id: `join ${team.id}`,
        title: `Put into ${team.name}`,
        place,
        icon: 'team' as const,
        run: () => join(team.id, `${place} is in ${team.name} now`),
      })),
    ...(agent.teamId === null
      ? []
      : [
          {
            id: 'leave-team',
            title: 'Remove from its team',
            place,
            icon: 'team' as const,
            run: () => join(null, `${place} is in no team now`),
          },
        ]),
    ...runtimesFor(agent, runtimes)
      .filter((runtime) => runtime.id !== agent.runtime)
      .map((runtime) => ({
        id: `move ${runtime.id}`,
        title: `Move to ${runtime.label}`,
        place,
        icon: 'move' as const,
        run: () =>
          move(runtime.id, { onSuccess: () => announce(`${place} runs on ${runtime.label} now`), onError: failed }),
      })),
    { id: 'delete-agent', title: `Delete ${place}`, icon: 'trash', run: () => open('delete') },
  ]
}
