import { type KeyboardEvent, useId, useMemo, useState } from 'react'
import type { Agent } from '../../api/fleet.ts'
import { useTeams } from '../../api/teams.ts'
import { AgentAvatar } from '../../shared/agent/agent-look.tsx'
import { roleOf } from '../../shared/agent/agent-words.ts'
import { ProblemLine } from '../../shared/problem.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Dialog } from '../../ui/dialog.tsx'
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
  const listId = useId()
  const { at, setActive, onKeyDown } = useListKeys(found, props.onChoose)
  return (
    <>
      <input
        role="combobox"
        aria-label="Find a Boo by name or role"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={found[at] ? `${listId}-${at}` : undefined}
        autoComplete="off"
        // biome-ignore lint/a11y/noAutofocus: set only where the search field is the main control
        autoFocus={props.autoFocus}
        placeholder="Find a Boo by name or role"
        value={query}
        onChange={(event) => {
          setQuery(event.target.value)
          setActive(0)
        }}
        onKeyDown={onKeyDown}
        className={`${fieldClass} h-[34px]`}
      />
      <div id={listId} role="listbox" aria-label="Boos" className="mt-2 max-h-[300px] overflow-y-auto">
        {found.map((agent, index) => (
          <PickerOption
            key={agent.id}
            id={`${listId}-${index}`}
            agent={agent}
            active={index === at}
            onChoose={() => props.onChoose(agent)}
          />
        ))}
      </div>
      <p role="status" className={found.length === 0 ? 'py-3 text-sm text-muted' : 'sr-only'}>
        {props.agents.length === 0
          ? props.nobody
          : found.length === 0
            ? 'No Boo has this name or role.'
            : `${found.length} found`}
      </p>
    </>
  )
}

function useListKeys(found: readonly Agent[], onChoose: (agent: Agent) => void) {
  const [active, setActive] = useState(0)
  const at = Math.min(active, found.length - 1)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined && event.key !== 'Enter') return
    event.preventDefault()
    const chosen = found[at]
    if (!chosen) return
    if (step === undefined) onChoose(chosen)
    else setActive((at + step + found.length) % found.length)
  }
  return { at, setActive, onKeyDown }
}

function PickerOption(props: { id: string; agent: Agent; active: boolean; onChoose: () => void }) {
  const { agent } = props
  const team = useTeams().data?.find(({ id }) => id === agent.teamId)
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: focus stays in the field, which names the active option
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
    <div
      id={props.id}
      role="option"
      aria-selected={props.active}
      onClick={props.onChoose}
      className={classNames(
        'flex h-10 cursor-pointer items-center gap-2.5 rounded-s px-2 hover:bg-sunken',
        props.active && 'bg-accent-soft',
      )}
    >
      <AgentAvatar agent={agent} size={24} />
      <span className="truncate">{agent.displayName}</span>
      <span className="truncate text-sm text-muted">{roleOf(agent) ?? ''}</span>
      <span className="ml-auto shrink-0 text-sm text-muted">{team ? `moves from ${team.name}` : 'in no team'}</span>
    </div>
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
