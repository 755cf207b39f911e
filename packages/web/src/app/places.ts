import type { IconName } from '../ui/icon.tsx'

/** The main pages, in the order of the rail. `letter` opens the page after "g". */
export const PLACES = [
  { to: '/needs-you', title: 'Needs you', icon: 'bell', letter: 'n' },
  { to: '/', title: 'Fleet', icon: 'fleet', letter: 'f' },
  { to: '/board', title: 'Board', icon: 'board', letter: 'b' },
  { to: '/runs', title: 'Runs', icon: 'runs', letter: 'r' },
  { to: '/runtimes', title: 'Runtimes', icon: 'plug', letter: 'u' },
  { to: '/settings', title: 'Settings', icon: 'settings', letter: 's' },
  { to: '/api-docs', title: 'API', icon: 'api', letter: 'a' },
] as const satisfies readonly { to: string; title: string; icon: IconName; letter: string }[]
