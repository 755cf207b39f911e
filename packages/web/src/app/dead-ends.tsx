import { Link } from '@tanstack/react-router'
import { buttonClass } from '../ui/button.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { EmptyState, ErrorState } from '../ui/page-states.tsx'

export function NotFound() {
  return (
    <>
      <PageHeader title="Not found" />
      <EmptyState title="Page not found" seed="lost">
        <p>The address may be wrong, or the page was removed.</p>
        <Link to="/" className={buttonClass()}>
          Go to Fleet
        </Link>
      </EmptyState>
    </>
  )
}

/** The page for an error while rendering or loading another page. */
export function PageCrash({ error }: { error: unknown }) {
  const detail = error instanceof Error ? error.message : String(error)
  return (
    <main className="grid h-full place-items-center bg-surface">
      <ErrorState
        title="Something broke on this page"
        detail={`Nothing on the server changed. Reload the page. Details: ${detail}`}
        onRetry={() => window.location.reload()}
      />
    </main>
  )
}
