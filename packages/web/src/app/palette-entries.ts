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

/** Everything the palette can reach: what this page offers first, then places, Boos and teams. */
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

function useGeneralActions(onShortcuts: () => void): readonly PaletteEntry[] {
  const navigate = useNavigate()
  const { mutate: signOut } = useSignOut()
  return useMemo(
    () => [
      {
        id: 'go-fleet',
        title: 'Fleet',
        place: 'Go to',
        icon: 'fleet',
        keys: 'g f',
        run: () => void navigate({ to: '/' }),
      },
      {
        id: 'go-needs-you',
        title: 'Needs you',
        place: 'Go to',
        icon: 'bell',
        keys: 'g n',
        run: () => void navigate({ to: '/needs-you' }),
      },
      { id: 'new-boo', title: 'New Boo', icon: 'plus', keys: 'n', run: () => void navigate({ to: '/new' }) },
      { id: 'new-team', title: 'New team', icon: 'plus', keys: 't', run: () => void navigate({ to: '/teams/new' }) },
      {
        id: 'go-board',
        title: 'Board',
        place: 'Go to',
        icon: 'board',
        keys: 'g b',
        run: () => void navigate({ to: '/board' }),
      },
      {
        id: 'go-runs',
        title: 'Runs',
        place: 'Go to',
        icon: 'runs',
        keys: 'g r',
        run: () => void navigate({ to: '/runs' }),
      },
      {
        id: 'go-runtimes',
        title: 'Runtimes',
        place: 'Go to',
        icon: 'plug',
        keys: 'g u',
        run: () => void navigate({ to: '/runtimes' }),
      },
      {
        id: 'go-settings',
        title: 'Settings',
        place: 'Go to',
        icon: 'settings',
        keys: 'g s',
        run: () => void navigate({ to: '/settings' }),
      },
      {
        id: 'go-models',
        title: 'Models and keys',
        place: 'Settings',
        icon: 'settings',
        run: () => void navigate({ to: '/settings/models' }),
      },
      {
        id: 'go-limits',
        title: 'Limits and budgets',
        place: 'Settings',
        icon: 'settings',
        run: () => void navigate({ to: '/settings/limits' }),
      },
      {
        id: 'go-api',
        title: 'API',
        place: 'Go to',
        icon: 'api',
        keys: 'g a',
        run: () => void navigate({ to: '/api-docs' }),
      },
      { id: 'theme-light', title: 'Light theme', place: 'Appearance', icon: 'theme', run: () => chooseTheme('light') },
      { id: 'theme-dark', title: 'Dark theme', place: 'Appearance', icon: 'theme', run: () => chooseTheme('dark') },
      {
        id: 'theme-system',
        title: 'System theme',
        place: 'Appearance',
        icon: 'theme',
        run: () => chooseTheme('system'),
      },
      { id: 'shortcuts', title: 'Keyboard shortcuts', icon: 'keyboard', keys: '?', run: onShortcuts },
      { id: 'sign-out', title: 'Sign out', place: 'this browser', icon: 'leave', run: () => signOut() },
    ],
    [navigate, signOut, onShortcuts],
  )
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
