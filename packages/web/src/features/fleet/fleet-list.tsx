import { Link } from '@tanstack/react-router'
import { type KeyboardEvent, memo, type RefObject, useState } from 'react'
import type { Agent } from '../../api/fleet.ts'
import { AgentAvatar, StatePill, useAgentState } from '../../shared/agent/agent-look.tsx'
import { roleOf } from '../../shared/agent/agent-words.ts'
import { classNames } from '../../ui/class-names.ts'
import { useShortcuts } from '../../ui/keyboard/shortcuts.ts'
import { Pill } from '../../ui/pill.tsx'
import { useNow } from '../../ui/state/use-now.ts'
import { VirtualList, type VirtualListHandle } from '../../ui/virtual-list.tsx'
import { ago, exactTime } from '../../ui/words/time-words.ts'
import type { FleetNames, FleetRow } from './fleet-rows.ts'
import type { FleetSearch } from './fleet-search.ts'

const GROUP_HEIGHT = 36
const ROW_HEIGHT = 44

/** The scroll position by filter: Back from a Boo returns to the same row. */
const places = new Map<string, Place>()

interface Place {
  readonly offset?: number
  readonly agentId?: string
}

export function FleetList(props: {
  readonly rows: readonly FleetRow[]
  readonly names: FleetNames
  readonly booZeroId: string | null
  readonly search: FleetSearch
  readonly searchField: RefObject<HTMLInputElement | null>
  readonly ref: RefObject<VirtualListHandle | null>
}) {
  const { rows, names, booZeroId, search } = props
  const placeKey = JSON.stringify([search.q, search.state, search.group])
  const [active, setActive] = useState(() => places.get(placeKey)?.agentId ?? null)
  const remember = (part: Place) => places.set(placeKey, { ...places.get(placeKey), ...part })
  const first = rows.find((row) => row.type === 'agent')?.key ?? null
  const current = rows.some((row) => row.key === active) ? active : first
  const step = (by: 1 | -1) => {
    const next = nextAgentRow(rows, active === null ? -1 : rows.findIndex((row) => row.key === active), by)
    if (next < 0) return
    setActive(rows[next]!.key)
    props.ref.current?.focusItem(next)
  }
  useShortcuts({ j: () => step(1), k: () => step(-1), '/': () => props.searchField.current?.focus() })
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    step(event.key === 'ArrowDown' ? 1 : -1)
  }
  return (
    <VirtualList
      // Each filter has its own list with its own scroll position.
      key={placeKey}
      ref={props.ref}
      label="Boos"
      items={rows}
      keyOf={keyOfRow}
      heightOf={(row) => (row.type === 'group' ? GROUP_HEIGHT : ROW_HEIGHT)}
      initialOffset={places.get(placeKey)?.offset}
      onScrolled={(offset) => remember({ offset })}
      onKeyDown={onKeyDown}
      render={(row) =>
        row.type === 'group' ? (
          <GroupHeading title={row.title} count={row.count} />
        ) : (
          <AgentRow
            agent={row.agent}
            team={teamCell(row.agent, search, names)}
            runtime={names.runtime(row.agent.runtime)}
            booZero={row.key === booZeroId}
            reachable={row.key === current}
            onFocus={(agentId) => {
              setActive(agentId)
              remember({ agentId })
            }}
          />
        )
      }
    />
  )
}

function GroupHeading({ title, count }: { title: string; count: number }) {
  return (
    <div className="flex h-full items-end gap-2 border-b border-line bg-bg px-5 pb-1.5 text-sm font-semibold text-muted">
      <h2 className="truncate">{title}</h2>
      <span className="font-normal tabular-nums">{count.toLocaleString('en-GB')}</span>
    </div>
  )
}

const AgentRow = memo(function AgentRow(props: {
  readonly agent: Agent
  /** null = the heading above shows the team. */
  readonly team: string | null
  readonly runtime: string
  readonly booZero: boolean
  readonly reachable: boolean
  readonly onFocus: (agentId: string) => void
}) {
  const { agent } = props
  const now = useNow()
  const state = useAgentState(agent)
  const person = agent.participantKind === 'human'
  return (
    <Link
      to="/agents/$agentId"
      params={{ agentId: agent.id }}
      tabIndex={props.reachable ? 0 : -1}
      onFocus={() => props.onFocus(agent.id)}
      className={classNames(
        'grid h-full items-center gap-3 border-b border-line px-5 hover:bg-bg focus-visible:outline-offset-[-2px]',
        'grid-cols-[minmax(0,1fr)_auto] wide:grid-cols-[minmax(0,32fr)_minmax(0,18fr)_minmax(0,20fr)_minmax(0,14fr)_minmax(150px,18fr)]',
      )}
    >
      <NameCell agent={agent} booZero={props.booZero} />
      <span className="hidden min-w-0 wide:block">{person ? null : <Pill tone="outline">{props.runtime}</Pill>}</span>
      <span className="hidden truncate text-muted wide:block">{props.team}</span>
      <span
        className="hidden truncate text-right text-sm text-muted tabular-nums wide:block"
        title={`Changed ${exactTime(agent.updatedAt)}`}
      >
        {`changed ${ago(agent.updatedAt, now)}`}
      </span>
      <span className="min-w-0 text-right">
        {person ? <Pill tone="outline">Person</Pill> : <StatePill state={state} />}
      </span>
    </Link>
  )
})

function NameCell({ agent, booZero }: { agent: Agent; booZero: boolean }) {
  const role = roleOf(agent)
  return (
    <span className="flex min-w-0 items-center gap-2.5">
      <AgentAvatar agent={agent} size={30} />
      <span className="min-w-0">
        <span className="flex min-w-0 items-baseline gap-2 leading-tight">
          <span className="truncate font-[560]">{agent.displayName}</span>
          {booZero ? <span className="shrink-0 text-xs font-[550] text-accent-text">Boo Zero</span> : null}
        </span>
        {role ? <span className="block truncate text-xs leading-tight text-muted">{role}</span> : null}
      </span>
    </span>
  )
}

function keyOfRow(row: FleetRow): string {
  return row.key
}

function teamCell(agent: Agent, search: FleetSearch, names: FleetNames): string | null {
  if ((search.group ?? 'team') === 'team') return null
  return (agent.teamId === null ? undefined : names.team(agent.teamId)) ?? 'no team'
}

function nextAgentRow(rows: readonly FleetRow[], from: number, by: 1 | -1): number {
  for (let index = from + by; index >= 0 && index < rows.length; index += by) {
    if (rows[index]!.type === 'agent') return index
  }
  return -1
}
