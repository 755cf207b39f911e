import { Link } from '@tanstack/react-router'
import { buttonClass } from '../ui/button.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { EmptyState, ErrorState } from '../ui/page-states.tsx'

export function NotFound() {
  return (
    <>
      <PageHeader title="Not here" />
      <EmptyState title="There is no page here" seed="lost">
        <p>The address may be mistyped, or what it named is gone.</p>
        <Link to="/" className={buttonClass()}>
          Go to Fleet
        </Link>
      </EmptyState>
    </>
  )
}

/** A mistake in the page itself, or a part of it that could not be loaded. */
export function PageCrash({ error }: { error: unknown }) {
  const detail = error instanceof Error ? error.message : String(error)
  return (
    <main className="grid h-full place-items-center bg-surface">
      <ErrorState
        title="This page broke"
        detail={`Nothing on the server changed. Loading it again usually helps. It said: ${detail}`}
        onRetry={() => window.location.reload()}
      />
    </main>
  )
}
