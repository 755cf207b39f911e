import { useMemo, useState } from 'react'
import type { Agent } from '../../api/fleet.ts'
import { useTeams } from '../../api/teams.ts'
import { AgentAvatar } from '../../shared/agent/agent-look.tsx'
import { roleOf } from '../../shared/agent/agent-words.ts'
import { ProblemLine } from '../../shared/problem.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { OptionList } from '../../ui/option-list.tsx'
import { fieldClass } from '../../ui/text-field.tsx'
import { matchScore } from '../../ui/words/search-words.ts'

const SHOWN = 50

/** Finds Boos by name or role and reports each chosen one; stays open for the next. */
export function AgentPickerDialog(props: {
  readonly title: string
  readonly agents: readonly Agent[]
  readonly nobody: string
  readonly error?: string
  readonly onChoose: (agent: Agent) => void
  readonly onClose: () => void
}) {
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <AgentPicker agents={props.agents} nobody={props.nobody} onChoose={props.onChoose} autoFocus />
      <ProblemLine className="mt-2">{props.error ? props.error : null}</ProblemLine>
    </Dialog>
  )
}

export function AgentPicker(props: {
  readonly agents: readonly Agent[]
  readonly nobody: string
  readonly onChoose: (agent: Agent) => void
  readonly autoFocus?: boolean
}) {
  const [query, setQuery] = useState('')
  const found = useMemo(() => findAgents(props.agents, query), [props.agents, query])
  return (
    <OptionList
      field={{
        'aria-label': 'Find a Boo by name or role',
        placeholder: 'Find a Boo by name or role',
        autoFocus: props.autoFocus,
        value: query,
        className: `${fieldClass} h-[34px]`,
      }}
      onType={setQuery}
      label="Boos"
      items={found}
      render={(agent) => <FoundAgent agent={agent} />}
      onChoose={props.onChoose}
      listClass="mt-2 max-h-[300px] overflow-y-auto"
      optionClass="h-10"
      none={props.agents.length === 0 ? props.nobody : 'No Boo has this name or role.'}
    />
  )
}

function FoundAgent({ agent }: { agent: Agent }) {
  const team = useTeams().data?.find(({ id }) => id === agent.teamId)
  return (
    <>
      <AgentAvatar agent={agent} size={24} />
      <span className="truncate">{agent.displayName}</span>
      <span className="truncate text-sm text-muted">{roleOf(agent) ?? ''}</span>
      <span className="ml-auto shrink-0 text-sm text-muted">{team ? `moves from ${team.name}` : 'in no team'}</span>
    </>
  )
}

function findAgents(agents: readonly Agent[], query: string): readonly Agent[] {
  return agents
    .map((agent) => ({ agent, score: matchScore(query, `${agent.displayName} ${roleOf(agent) ?? ''}`) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, SHOWN)
    .map(({ agent }) => agent)
}
