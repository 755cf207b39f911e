import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useShortcuts } from '../ui/keyboard/shortcuts.ts'

/** The keys that work on every page. */
export function useGlobalKeys({ openPalette, openShortcuts }: { openPalette: () => void; openShortcuts: () => void }) {
  const navigate = useNavigate()
  useShortcuts({
    'g f': () => void navigate({ to: '/' }),
    'g n': () => void navigate({ to: '/needs-you' }),
    'g b': () => void navigate({ to: '/board' }),
    'g r': () => void navigate({ to: '/runs' }),
    'g u': () => void navigate({ to: '/runtimes' }),
    'g s': () => void navigate({ to: '/settings' }),
    'g a': () => void navigate({ to: '/api-docs' }),
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
  ['g f', 'Go to Fleet'],
  ['g n', 'Go to Needs you'],
  ['g b', 'Go to Board'],
  ['g r', 'Go to Runs'],
  ['g u', 'Go to Runtimes'],
  ['g s', 'Go to Settings'],
  ['g a', 'Go to API'],
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
