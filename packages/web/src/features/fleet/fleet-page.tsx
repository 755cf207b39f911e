import { getRouteApi, Link } from '@tanstack/react-router'
import { useCallback, useMemo, useRef } from 'react'
import { waitingAgents } from '../../api/attention.ts'
import { type Agent, type Fleet, type SourceStatus, useFleet, useRuntimes, useSyncSource } from '../../api/fleet.ts'
import { useOperation } from '../../api/operation.ts'
import { useTeams } from '../../api/teams.ts'
import { Loaded } from '../../shared/loaded.tsx'
import { announceResult } from '../../shared/problem.tsx'
import { MASCOT_SEED } from '../../ui/boo/boo-avatar.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Note, NoteButton } from '../../ui/note.tsx'
import { usePageActions } from '../../ui/page-actions.ts'
import { Code, PageHeader } from '../../ui/page-header.tsx'
import { EmptyState } from '../../ui/page-states.tsx'
import { changeSearch } from '../../ui/state/change-search.ts'
import { useNow } from '../../ui/state/use-now.ts'
import { useValue } from '../../ui/state/value-store.ts'
import type { VirtualListHandle } from '../../ui/virtual-list.tsx'
import { counted, longAge } from '../../ui/words/time-words.ts'
import { FleetFilters } from './fleet-filters.tsx'
import { FleetList } from './fleet-list.tsx'
import { type FleetNames, fleetRows } from './fleet-rows.ts'
import { type FleetSearch, GROUPINGS } from './fleet-search.ts'

const route = getRouteApi('/shell/')

export function FleetPage() {
  const fleet = useFleet()
  return (
    <>
      <PageHeader title="Fleet" sub={fleet.data ? fleetSize(fleet.data) : undefined}>
        <Link to="/new" className={buttonClass()}>
          <Icon name="plus" size={14} />
          New Boo
        </Link>
      </PageHeader>
      <Loaded reading={fleet} name="the fleet">
        {(data) => <FleetBody fleet={data} />}
      </Loaded>
    </>
  )
}

function FleetBody({ fleet }: { fleet: Fleet }) {
  const search = route.useSearch()
  const setSearch = useSetSearch()
  const now = useNow()
  const waiting = useValue(waitingAgents)
  const names = useFleetNames()
  const field = useRef<HTMLInputElement>(null)
  const list = useRef<VirtualListHandle>(null)
  const toList = () => list.current?.focusItem(rows.findIndex((row) => row.type === 'agent'))
  const rows = useMemo(
    () => fleetRows(fleet.agents, search, { names, booZeroId: fleet.booZeroId, now, waiting }),
    [fleet, search, names, now, waiting],
  )
  usePageActions([
    { id: 'search-fleet', title: 'Search the fleet', icon: 'search', keys: '/', run: () => field.current?.focus() },
    ...GROUPINGS.map((group) => ({
      id: `group-${group}`,
      title: group === 'none' ? 'No grouping' : `Group by ${group}`,
      place: 'Fleet',
      icon: 'fleet' as const,
      run: () => setSearch({ group }),
    })),
  ])
  if (fleet.agents.length === 0) {
    return (
      <>
        <ConfinementNote />
        <StaleSources sources={fleet.sources} agents={fleet.agents} />
        <FleetEmpty />
      </>
    )
  }
  return (
    <>
      <StaleSources sources={fleet.sources} agents={fleet.agents} />
      <FleetFilters ref={field} agents={fleet.agents} search={search} onChange={setSearch} onDown={toList} />
      {rows.length === 0 ? (
        <FleetNoMatch onClear={() => setSearch({ q: undefined, state: undefined })} />
      ) : (
        <FleetList
          ref={list}
          rows={rows}
          names={names}
          booZeroId={fleet.booZeroId}
          search={search}
          searchField={field}
        />
      )}
    </>
  )
}

function useSetSearch(): (change: FleetSearch) => void {
  const navigate = route.useNavigate()
  return useCallback((change) => void navigate(changeSearch(change)), [navigate])
}

function useFleetNames(): FleetNames {
  const teams = useTeams().data
  const runtimes = useRuntimes().data
  return useMemo(() => {
    const teamNames = new Map(teams?.map((team) => [team.id, team.name]))
    const labels = new Map(runtimes?.map((runtime) => [runtime.id, runtime.label]))
    return { team: (id) => teamNames.get(id), runtime: (id) => labels.get(id) ?? id }
  }, [teams, runtimes])
}

function fleetSize(fleet: Fleet): string {
  const boos = fleet.agents.filter((agent) => agent.participantKind === 'agent')
  const people = fleet.agents.length - boos.length
  const runtimes = new Set(boos.map((agent) => agent.runtime)).size
  const words = runtimes === 0 ? 'No Boo' : `${counted(boos.length, 'Boo')} on ${counted(runtimes, 'runtime')}`
  return people === 0 ? words : `${words}, ${counted(people, 'person', 'people')}`
}

function FleetEmpty() {
  return (
    <EmptyState title="No Boos yet" seed={MASCOT_SEED}>
      <p>A Boo is an AI agent with a name, a face and files that say who it is and what it remembers.</p>
      <Link to="/new" className={buttonClass('primary')}>
        Create your first Boo
      </Link>
      <p className="text-sm">
        Or in a terminal: <Code>npx clawboo agents create Ada</Code>
      </p>
    </EmptyState>
  )
}

function FleetNoMatch({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState title="No Boos match">
      <p>No Boo has this name, role or state.</p>
      <Button onClick={onClear}>Show everyone</Button>
    </EmptyState>
  )
}

/** Shown where commands of Boos reach more than their own folders. */
function ConfinementNote() {
  const confinement = useOperation('getStatus', {}).data?.confinement
  if (!confinement || confinement.isOn) return null
  return (
    <Note tone="needs">
      <span>
        This computer cannot confine commands, so you are asked before each one. {confinement.reason}
        {confinement.fix !== null && (
          <>
            {' '}
            To change that, run <Code>{confinement.fix}</Code> and restart Clawboo.
          </>
        )}
      </span>
    </Note>
  )
}

/** One line for each source with Boos that are shown as last seen. */
function StaleSources({ sources, agents }: { sources: readonly SourceStatus[]; agents: readonly Agent[] }) {
  const now = useNow()
  const sync = useSyncSource()
  return sources
    .filter((source) => source.stale)
    .map((source) => (
      <Note key={source.sourceId} tone="needs">
        <span>{staleWords(source, agents.filter((agent) => agent.sourceId === source.sourceId).length, now)}</span>
        {source.connectable ? (
          <Link to="/runtimes" className="rounded-s font-semibold underline-offset-2 hover:underline">
            {source.state === 'disconnected' ? 'Reconnect' : 'Show status'}
          </Link>
        ) : (
          <NoteButton
            onClick={() =>
              announceResult(
                sync.mutateAsync(source.sourceId),
                `${source.label} is up to date`,
                `refresh ${source.label}`,
              )
            }
          >
            Try now
          </NoteButton>
        )}
      </Note>
    ))
}

/** The problem of a source, its age, and the effect on its Boos. */
export function staleWords(source: SourceStatus, count: number, now: number): string {
  const state =
    source.trouble === 'broken' ? 'is unreadable' : source.state === 'disconnected' ? 'is not connected' : 'is offline'
  const since = source.lastSyncAt === null ? '' : ` Last seen ${longAge(Math.max(0, now - source.lastSyncAt))} ago.`
  const shown = count === 0 ? '' : ` Its ${counted(count, 'Boo is', 'Boos are')} shown as last seen.`
  return `${source.label} ${state}.${since}${shown}`
}
