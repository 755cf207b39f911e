import { Link } from '@tanstack/react-router'
import { useUpdateAgent } from '../../api/agent/agents.ts'
import type { Agent } from '../../api/fleet.ts'
import { useTeams } from '../../api/teams.ts'
import { fieldProblems, saveProblem } from '../../shared/problem-words.ts'
import { announce } from '../../ui/announcement.tsx'
import { SelectField } from '../../ui/text-field.tsx'

/** Moves a Boo to a team or out of one; saved as soon as it is chosen. */
export function TeamChoice({ agent }: { agent: Agent }) {
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
          announce(name ? `${agent.displayName} is in ${name} now` : `${agent.displayName} is in no team now`)
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
