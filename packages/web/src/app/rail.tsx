import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useOpenAttention } from '../api/attention.ts'
import { BooAvatar, MASCOT_SEED } from '../ui/boo/boo-avatar.tsx'
import { IconButton } from '../ui/button.tsx'
import { ModalFrame } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { Kbd } from '../ui/page-header.tsx'
import { ConnectionLine } from './connection.tsx'
import { PLACES } from './places.ts'
import { placeClass, placeOnClass, RailTeams } from './rail-teams.tsx'

interface RailProps {
  readonly onFind: () => void
  readonly onShortcuts: () => void
}

export function Rail(props: RailProps) {
  return (
    <div className="hidden min-h-0 border-r border-line bg-bg wide:block">
      <RailContent {...props} />
    </div>
  )
}

export function RailDrawer({ onClose, ...rest }: RailProps & { readonly onClose: () => void }) {
  return (
    <ModalFrame
      label="Places"
      onClose={onClose}
      className="m-0 h-dvh max-h-none w-[264px] border-r border-line bg-bg shadow-float"
    >
      <RailContent {...rest} onGo={onClose} />
    </ModalFrame>
  )
}

export function TopBar({ onMenu, onFind }: { onMenu: () => void; onFind: () => void }) {
  return (
    <header className="flex h-[52px] items-center gap-2 border-b border-line bg-bg px-3 wide:hidden">
      <IconButton icon="menu" label="Open the menu" onClick={onMenu} />
      <Brand />
      <span className="ml-auto flex items-center gap-1">
        <NeedsLink />
        <IconButton icon="search" label="Find or do anything" onClick={onFind} />
      </span>
    </header>
  )
}

function RailContent({ onFind, onShortcuts, onGo }: RailProps & { readonly onGo?: () => void }) {
  return (
    <nav aria-label="Places" className="flex h-full flex-col gap-0.5 px-2.5 py-3">
      <div className="px-2 pt-1 pb-3">
        <Brand />
      </div>
      <button
        type="button"
        onClick={onFind}
        className="mx-0.5 mb-2.5 flex h-[34px] shrink-0 items-center justify-between rounded-s border border-line bg-surface px-2.5 text-sm text-muted hover:border-line-strong"
      >
        Find or do anything
        <Kbd>{modifierKey()}K</Kbd>
      </button>
      {PLACES.map((place) => (
        <Place key={place.to} {...place} onGo={onGo} badge={place.to === '/needs-you' ? <NeedsBadge /> : null} />
      ))}
      <div className="-mx-1 min-h-0 flex-1 overflow-y-auto px-1 pb-2">
        <RailTeams onGo={onGo} />
      </div>
      <div className="shrink-0 border-t border-line px-2 pt-2">
        <button
          type="button"
          onClick={onShortcuts}
          className="mb-1 flex w-full items-center justify-between rounded-s py-0.5 text-sm text-muted hover:text-text"
        >
          Shortcuts <Kbd>?</Kbd>
        </button>
        <ConnectionLine />
      </div>
    </nav>
  )
}

function Brand() {
  return (
    <span className="flex items-center gap-2 text-lg font-[650] tracking-[-0.01em]">
      <BooAvatar seed={MASCOT_SEED} size={24} />
      Clawboo
    </span>
  )
}

function Place({
  to,
  title,
  icon,
  onGo,
  badge,
}: (typeof PLACES)[number] & {
  readonly onGo: (() => void) | undefined
  readonly badge: ReactNode
}) {
  return (
    <Link
      to={to}
      onClick={onGo}
      activeOptions={{ exact: to === '/', includeSearch: false }}
      className={placeClass}
      activeProps={{ className: placeOnClass }}
    >
      <Icon name={icon} />
      <span className="font-medium">{title}</span>
      {badge}
    </Link>
  )
}

/** The number of open items; empty when there are none. */
function NeedsBadge() {
  const count = useOpenAttention().length
  if (count === 0) return null
  return (
    <span className="ml-auto min-w-5 rounded-full bg-needs-soft px-1.5 text-center text-xs font-semibold text-needs tabular-nums">
      {count}
      <span className="sr-only"> open</span>
    </span>
  )
}

/** The link to Needs you where the rail is hidden. */
function NeedsLink() {
  const count = useOpenAttention().length
  if (count === 0) return null
  return (
    <Link
      to="/needs-you"
      className="ml-auto flex h-8 items-center gap-1.5 rounded-full bg-needs-soft px-3 text-sm font-semibold text-needs"
    >
      <Icon name="bell" size={14} />
      {`${count} ${count === 1 ? 'needs' : 'need'} you`}
    </Link>
  )
}

function modifierKey(): string {
  return /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl '
}
