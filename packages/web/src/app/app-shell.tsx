import { useQueryClient } from '@tanstack/react-query'
import { Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useShowWaiting } from '../api/attention.ts'
import { signedOut } from '../api/session.ts'
import { SignedOutPage } from '../features/sign-in/sign-in-page.tsx'
import { startLiveUpdates } from '../live/live-updates.ts'
import { Announcements } from '../ui/announcement.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useShortcuts } from '../ui/keyboard/shortcuts.ts'
import { Kbd } from '../ui/page-header.tsx'
import { useValue } from '../ui/state/value-store.ts'
import { OfflineNote } from './connection.tsx'
import { Palette } from './palette.tsx'
import { PLACES } from './places.ts'
import { Rail, RailDrawer, TopBar } from './rail.tsx'

/** The frame around every page. It stays mounted while signed out, so that typed text is not lost. */
export function AppShell() {
  const [over, setOver] = useState<'palette' | 'shortcuts' | 'drawer' | null>(null)
  const out = useValue(signedOut)
  const queries = useQueryClient()
  useEffect(() => startLiveUpdates(queries), [queries])
  useGlobalKeys({ openPalette: () => setOver('palette'), openShortcuts: () => setOver('shortcuts') })
  useDialogsAside(out)
  useShowWaiting()
  const main = useFocusOnMove()
  const close = () => setOver(null)
  return (
    <>
      <div id="shell" hidden={out} className="h-dvh">
        <button
          type="button"
          onClick={() => main.current?.focus()}
          className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-s focus:bg-raised focus:px-3 focus:py-2 focus:shadow-float"
        >
          Skip to the page
        </button>
        <div className="grid h-full grid-rows-[auto_minmax(0,1fr)] wide:grid-cols-[224px_minmax(0,1fr)] wide:grid-rows-1">
          <TopBar onMenu={() => setOver('drawer')} onFind={() => setOver('palette')} />
          <Rail onFind={() => setOver('palette')} onShortcuts={() => setOver('shortcuts')} />
          <main ref={main} id="main" tabIndex={-1} className="flex min-h-0 min-w-0 flex-col bg-surface">
            <OfflineNote />
            <Outlet />
          </main>
        </div>
        {over === 'drawer' ? (
          <RailDrawer onClose={close} onFind={() => setOver('palette')} onShortcuts={() => setOver('shortcuts')} />
        ) : null}
        {over === 'palette' ? <Palette onClose={close} onShortcuts={() => setOver('shortcuts')} /> : null}
        {over === 'shortcuts' ? <ShortcutsDialog onClose={close} /> : null}
      </div>
      {out ? <SignedOutPage /> : null}
      <Announcements />
    </>
  )
}

/** An open dialog makes everything else inert even while it is hidden, so it closes and opens again afterwards. */
function useDialogsAside(aside: boolean): void {
  useEffect(() => {
    if (!aside) return
    const open = [...document.querySelectorAll<HTMLDialogElement>('dialog[open]')]
    for (const dialog of open) dialog.close()
    return () => {
      for (const dialog of open) if (dialog.isConnected) dialog.showModal()
    }
  }, [aside])
}

/** After navigation, focus starts at the new page instead of the top of the document. */
function useFocusOnMove() {
  const main = useRef<HTMLElement>(null)
  const pathname = useLocation({ select: (location) => location.pathname })
  const before = useRef(pathname)
  useEffect(() => {
    if (before.current === pathname) return
    before.current = pathname
    if (document.activeElement === document.body || document.activeElement === null) main.current?.focus()
  }, [pathname])
  return main
}

function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className="flex flex-col">
        {SHORTCUTS.map(([keys, does]) => (
          <div key={keys} className="flex items-center justify-between gap-4 border-b border-line py-1.5 last:border-0">
            <dt>{does}</dt>
            <dd>
              <Kbd>{keys}</Kbd>
            </dd>
          </div>
        ))}
      </dl>
      <p className="mt-3 text-sm text-muted">Single keys can be switched off in Settings.</p>
    </Dialog>
  )
}

/** The keys that work on every page. */
function useGlobalKeys({ openPalette, openShortcuts }: { openPalette: () => void; openShortcuts: () => void }) {
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
const SHORTCUTS: readonly (readonly [keys: string, does: string])[] = [
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
