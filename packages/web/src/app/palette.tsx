import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useSignOut } from '../api/access.ts'
import { useFleet } from '../api/fleet.ts'
import { useTeams } from '../api/teams.ts'
import { BooAvatar } from '../ui/boo/boo-avatar.tsx'
import type { BooEyes } from '../ui/boo/boo-shape.ts'
import { ModalFrame } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { OptionList } from '../ui/option-list.tsx'
import { type Action, currentPageActions } from '../ui/page-actions.ts'
import { Kbd } from '../ui/page-header.tsx'
import { chooseTheme } from '../ui/theme.ts'
import { matchScore } from '../ui/words/search-words.ts'
import { PLACES } from './places.ts'

/** The command palette: all actions of this page and the app, all Boos and all teams. */
export function Palette({ onClose, onShortcuts }: { onClose: () => void; onShortcuts: () => void }) {
  const [query, setQuery] = useState('')
  const entries = usePaletteEntries(onShortcuts)
  const found = useMemo(() => findEntries(entries, query), [entries, query])
  return (
    <ModalFrame
      label="Find or do anything"
      onClose={onClose}
      className="mx-auto mt-[12vh] mb-auto w-[calc(100vw-24px)] max-w-[560px] overflow-hidden rounded-l border border-line bg-raised p-0 shadow-float"
    >
      <OptionList
        field={{
          'aria-label': 'Find or do anything',
          placeholder: 'Find a Boo, a team or an action',
          autoFocus: true,
          spellCheck: false,
          value: query,
          className: 'h-12 w-full border-b border-line bg-transparent px-4 text-lg outline-none',
        }}
        onType={setQuery}
        label="Results"
        items={found}
        render={(entry) => <EntryLine entry={entry} />}
        onChoose={(entry) => {
          onClose()
          entry.run()
        }}
        listClass="max-h-[46vh] overflow-y-auto p-1.5"
        optionClass="h-9"
        none="No results"
      />
    </ModalFrame>
  )
}

function EntryLine({ entry }: { entry: PaletteEntry }) {
  return (
    <>
      {entry.boo ? <BooAvatar {...entry.boo} size={20} /> : <Icon name={entry.icon ?? 'check'} />}
      <span className="truncate">{entry.title}</span>
      {entry.place ? <span className="shrink-0 text-sm text-muted">{entry.place}</span> : null}
      {entry.keys ? (
        <span className="ml-auto">
          <Kbd>{entry.keys}</Kbd>
        </span>
      ) : null}
    </>
  )
}

type PaletteEntry = Omit<Action, 'icon'> & {
  readonly icon?: Action['icon']
  readonly boo?: { readonly seed: string; readonly eyes: BooEyes; readonly person: boolean }
}

const SHOWN = 60

function usePaletteEntries(onShortcuts: () => void): readonly PaletteEntry[] {
  const general = useGeneralActions(onShortcuts)
  const people = useFleetEntries()
  return useMemo(() => [...currentPageActions(), ...general, ...people], [general, people])
}

function findEntries(entries: readonly PaletteEntry[], query: string): readonly PaletteEntry[] {
  if (query.trim() === '') return entries.slice(0, SHOWN)
  return entries
    .map((entry) => ({ entry, score: matchScore(query, entry.place ? `${entry.title} ${entry.place}` : entry.title) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, SHOWN)
    .map(({ entry }) => entry)
}

const SETTINGS = [
  { to: '/settings/models', title: 'Models and keys' },
  { to: '/settings/limits', title: 'Limits and budgets' },
] as const

const THEMES = [
  ['theme-light', 'Light theme', 'light'],
  ['theme-dark', 'Dark theme', 'dark'],
  ['theme-system', 'System theme', 'system'],
] as const

function useGeneralActions(onShortcuts: () => void): readonly PaletteEntry[] {
  const navigate = useNavigate()
  const { mutate: signOut } = useSignOut()
  return useMemo(() => {
    const places = PLACES.map(
      ({ to, title, icon, letter }): PaletteEntry => ({
        id: `go ${to}`,
        title,
        place: 'Go to',
        icon,
        keys: `g ${letter}`,
        run: () => void navigate({ to }),
      }),
    )
    const settings = SETTINGS.map(
      ({ to, title }): PaletteEntry => ({
        id: `go ${to}`,
        title,
        place: 'Settings',
        icon: 'settings',
        run: () => void navigate({ to }),
      }),
    )
    return [
      ...places.slice(0, 2),
      { id: 'new-boo', title: 'New Boo', icon: 'plus', keys: 'n', run: () => void navigate({ to: '/new' }) },
      { id: 'new-team', title: 'New team', icon: 'plus', keys: 't', run: () => void navigate({ to: '/teams/new' }) },
      ...places.slice(2),
      ...settings,
      ...THEMES.map(
        ([id, title, theme]): PaletteEntry => ({
          id,
          title,
          place: 'Appearance',
          icon: 'theme',
          run: () => chooseTheme(theme),
        }),
      ),
      { id: 'shortcuts', title: 'Keyboard shortcuts', icon: 'keyboard', keys: '?', run: onShortcuts },
      { id: 'sign-out', title: 'Sign out', place: 'this browser', icon: 'leave', run: () => signOut() },
    ]
  }, [navigate, signOut, onShortcuts])
}

function useFleetEntries(): readonly PaletteEntry[] {
  const navigate = useNavigate()
  const agents = useFleet().data?.agents
  const teams = useTeams().data
  return useMemo(() => {
    const names = new Map(teams?.map((team) => [team.id, team.name]))
    const teamEntries = (teams ?? []).flatMap((team): PaletteEntry[] => [
      {
        id: `room ${team.id}`,
        title: `Open room of ${team.name}`,
        icon: 'chat',
        run: () => void navigate({ to: '/teams/$teamId/room', params: { teamId: team.id } }),
      },
      {
        id: `team ${team.id}`,
        title: team.name,
        place: 'Team',
        icon: 'team',
        run: () => void navigate({ to: '/teams/$teamId', params: { teamId: team.id } }),
      },
    ])
    const agentEntries = (agents ?? []).map(
      (agent): PaletteEntry => ({
        id: `agent ${agent.id}`,
        title: agent.displayName,
        place: (agent.teamId === null ? undefined : names.get(agent.teamId)) ?? 'no team',
        boo: { seed: agent.avatarSeed ?? agent.id, eyes: 'idle', person: agent.participantKind === 'human' },
        run: () => void navigate({ to: '/agents/$agentId', params: { agentId: agent.id } }),
      }),
    )
    return [...teamEntries, ...agentEntries]
  }, [agents, teams, navigate])
}
