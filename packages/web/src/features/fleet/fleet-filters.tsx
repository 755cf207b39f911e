import type { Ref } from 'react'
import { waitingAgents } from '../../api/attention.ts'
import type { Agent } from '../../api/fleet.ts'
import { STATE_WORDS } from '../../shared/agent/agent-state.ts'
import { classNames } from '../../ui/class-names.ts'
import { Icon } from '../../ui/icon.tsx'
import { Menu } from '../../ui/menu.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { useNow } from '../../ui/state/use-now.ts'
import { useValue } from '../../ui/state/value-store.ts'
import { countStates } from './fleet-rows.ts'
import { type FleetSearch, GROUPINGS } from './fleet-search.ts'

export function FleetFilters(props: {
  readonly agents: readonly Agent[]
  readonly search: FleetSearch
  readonly onChange: (change: FleetSearch) => void
  /** Moves the focus from the search field into the list. */
  readonly onDown: () => void
  readonly ref: Ref<HTMLInputElement>
}) {
  const { agents, search, onChange } = props
  const now = useNow()
  const waiting = useValue(waitingAgents)
  const group = search.group ?? 'team'
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-5 py-2.5">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset adds a border and a legend that do not fit this row */}
      <div role="group" aria-label="Filter by state" className="flex flex-wrap gap-1.5">
        <Chip on={!search.state} count={agents.length} onClick={() => onChange({ state: undefined })}>
          All
        </Chip>
        {countStates(agents, { now, waiting }).map(({ kind, count }) => (
          <Chip key={kind} on={search.state === kind} count={count} onClick={() => onChange({ state: kind })}>
            {STATE_WORDS[kind]}
          </Chip>
        ))}
      </div>
      <div className="flex min-w-[260px] flex-1 items-center justify-end gap-1.5">
        <SearchField
          ref={props.ref}
          label="Search by name or role"
          value={search.q ?? ''}
          onChange={(q) => onChange({ q })}
          onKeyDown={(event) => {
            if (event.key !== 'ArrowDown' && event.key !== 'Enter') return
            event.preventDefault()
            props.onDown()
          }}
          className="min-w-0"
        />
        <Menu
          label="Group by"
          trigger={
            <button type="button" className={chipClass(false)}>
              Group: {group}
              <Icon name="down" size={12} />
            </button>
          }
          items={GROUPINGS.map((choice) => ({
            label: choice === 'none' ? 'None' : choice === 'team' ? 'Team' : 'Runtime',
            chosen: choice === group,
            run: () => onChange({ group: choice }),
          }))}
        />
      </div>
    </div>
  )
}

function Chip(props: { on: boolean; count: number; onClick: () => void; children: string }) {
  return (
    <button type="button" aria-pressed={props.on} onClick={props.onClick} className={chipClass(props.on)}>
      {props.children}
      <span className="tabular-nums">{props.count.toLocaleString('en-GB')}</span>
    </button>
  )
}

function chipClass(on: boolean): string {
  return classNames(
    'inline-flex h-[26px] shrink-0 items-center gap-1.5 rounded-full border px-2.5 text-sm whitespace-nowrap',
    on ? 'border-text bg-text text-surface' : 'border-line-strong bg-surface text-muted hover:text-text',
  )
}
