import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useSignOut } from '../api/access.ts'
import { useFleet } from '../api/fleet.ts'
import { useTeams } from '../api/teams.ts'
import type { BooEyes } from '../ui/boo/boo-shape.ts'
import { type Action, currentPageActions } from '../ui/page-actions.ts'
import { chooseTheme } from '../ui/theme.ts'
import { matchScore } from '../ui/words/search-words.ts'

/** One line of the palette. */
export type PaletteEntry = Omit<Action, 'icon'> & {
  readonly icon?: Action['icon']
  readonly boo?: { readonly seed: string; readonly eyes: BooEyes; readonly person: boolean }
}

const SHOWN = 60

/** All entries of the palette: this page's actions first, then places, Boos and teams. */
export function usePaletteEntries(onShortcuts: () => void): readonly PaletteEntry[] {
  const general = useGeneralActions(onShortcuts)
  const people = useFleetEntries()
  return useMemo(() => [...currentPageActions(), ...general, ...people], [general, people])
}

export function findEntries(entries: readonly PaletteEntry[], query: string): readonly PaletteEntry[] {
  if (query.trim() === '') return entries.slice(0, SHOWN)
  return entries
    .map((entry) => ({ entry, score: matchScore(query, entry.place ? `${entry.title} ${entry.place}` : entry.title) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, SHOWN)
    .map(({ entry }) => entry)
}

type Place = readonly [id: string, title: string, icon: Action['icon'], to: LinkTo, keys?: string]
type LinkTo = NonNullable<Parameters<ReturnType<typeof useNavigate>>[0]>['to']

const PLACES: readonly Place[] = [
  ['go-fleet', 'Fleet', 'fleet', '/', 'g f'],
  ['go-needs-you', 'Needs you', 'bell', '/needs-you', 'g n'],
  ['go-board', 'Board', 'board', '/board', 'g b'],
  ['go-runs', 'Runs', 'runs', '/runs', 'g r'],
  ['go-runtimes', 'Runtimes', 'plug', '/runtimes', 'g u'],
  ['go-settings', 'Settings', 'settings', '/settings', 'g s'],
  ['go-api', 'API', 'api', '/api-docs', 'g a'],
]

const SETTINGS: readonly Place[] = [
  ['go-models', 'Models and keys', 'settings', '/settings/models'],
  ['go-limits', 'Limits and budgets', 'settings', '/settings/limits'],
]

const THEMES = [
  ['theme-light', 'Light theme', 'light'],
  ['theme-dark', 'Dark theme', 'dark'],
  ['theme-system', 'System theme', 'system'],
] as const

function useGeneralActions(onShortcuts: () => void): readonly PaletteEntry[] {
  const navigate = useNavigate()
  const { mutate: signOut } = useSignOut()
  return useMemo(() => {
    const goTo =
      (group: string) =>
      ([id, title, icon, to, keys]: Place): PaletteEntry => ({
        id,
        title,
        place: group,
        icon,
        ...(keys === undefined ? {} : { keys }),
        run: () => void navigate({ to }),
      })
    const [fleet, needsYou, ...rest] = PLACES.map(goTo('Go to'))
    return [
      fleet!,
      needsYou!,
      { id: 'new-boo', title: 'New Boo', icon: 'plus', keys: 'n', run: () => void navigate({ to: '/new' }) },
      { id: 'new-team', title: 'New team', icon: 'plus', keys: 't', run: () => void navigate({ to: '/teams/new' }) },
      ...rest,
      ...SETTINGS.map(goTo('Settings')),
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
