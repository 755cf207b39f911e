import { type ReactNode, useEffect, useState } from 'react'
import { ErrorState, LoadingState } from '../ui/page-states.tsx'

type Component = () => ReactNode

interface LaterPage {
  component: Component | null
  readonly load: () => Promise<void>
}

/**
 * A page whose script loads separately. If the script fails to load, the rest of the app stays and shows the error.
 * `whenOpened`: the script is large, so it loads only when the page is opened.
 */
export function lazyPage<Name extends string>(
  load: () => Promise<Readonly<Record<Name, Component>>>,
  name: Name,
  fetched: 'whenIdle' | 'whenOpened' = 'whenIdle',
): Component {
  const page: LaterPage = {
    component: null,
    load: async () => {
      page.component ??= (await load())[name]
    },
  }
  if (fetched === 'whenIdle') later.push(page)
  return () => <LazyPage page={page} />
}

const later: LaterPage[] = []

/** Loads the small pages when the browser is idle, so that they still open if the server goes away. */
export function loadPagesWhenIdle(): void {
  const idle = window.requestIdleCallback ?? ((run: () => void) => setTimeout(run, 1_000))
  idle(() => {
    // A page that fails to load here is loaded again, with an error, when it is opened.
    for (const page of later) page.load().catch(() => undefined)
  })
}

function LazyPage({ page }: { page: LaterPage }) {
  const [state, setState] = useState<'loading' | 'failed' | 'here'>(page.component ? 'here' : 'loading')
  useEffect(() => {
    if (state !== 'loading') return
    page.load().then(
      () => setState('here'),
      () => setState('failed'),
    )
  }, [page, state])
  const Loaded = page.component
  if (Loaded) return <Loaded />
  if (state !== 'failed') return <LoadingState what="this page" />
  return (
    <ErrorState
      title="Couldn't load this page"
      detail="The server isn't responding. Try again when it's back."
      onRetry={() => setState('loading')}
    />
  )
}
