import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useShortcuts } from '../ui/keyboard/shortcuts.ts'
import { PLACES } from './places.ts'

/** The keys that work on every page. */
export function useGlobalKeys({ openPalette, openShortcuts }: { openPalette: () => void; openShortcuts: () => void }) {
  const navigate = useNavigate()
  useShortcuts({
    ...Object.fromEntries(PLACES.map(({ to, letter }) => [`g ${letter}`, () => void navigate({ to })])),
    n: () => void navigate({ to: '/new' }),
    t: () => void navigate({ to: '/teams/new' }),
    '?': openShortcuts,
  })
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      if (!document.querySelector('dialog[open], #shell[hidden]')) openPalette()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  })
}

/** The entries of the shortcuts dialog. */
export const SHORTCUTS: readonly (readonly [keys: string, does: string])[] = [
  ['Ctrl K or ⌘ K', 'Find or do anything'],
  ...PLACES.map(({ letter, title }) => [`g ${letter}`, `Go to ${title}`] as const),
  ['n', 'New Boo'],
  ['t', 'New team'],
  ['/', 'Search on this page'],
  ['j or ↓', 'Next in the list'],
  ['k or ↑', 'Previous in the list'],
  ['Enter', 'Open'],
  ['Ctrl S or ⌘ S', 'Save the file'],
  ['c', 'Write a message, or create a task'],
  ['Space', 'Pick up a card on the board, and drop it'],
  ['Esc Esc', 'Stop this Boo'],
  ['?', 'This list'],
]
