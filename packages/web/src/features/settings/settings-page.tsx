import { Link, Outlet } from '@tanstack/react-router'
import { PageHeader, tabClass } from '../../ui/page-header.tsx'

const PARTS = [
  { to: '/settings', name: 'General' },
  { to: '/settings/models', name: 'Models' },
  { to: '/settings/limits', name: 'Limits and budgets' },
] as const

export function SettingsPage() {
  return (
    <>
      <PageHeader title="Settings" />
      <nav aria-label="Parts of the settings" className="flex shrink-0 gap-5 overflow-x-auto border-b border-line px-5">
        {PARTS.map(({ to, name }) => (
          <Link key={to} to={to} activeOptions={{ exact: to === '/settings' }} className={tabClass}>
            {name}
          </Link>
        ))}
      </nav>
      <div className="min-h-0 flex-1 overflow-y-auto">
        <Outlet />
      </div>
    </>
  )
}
