import type { EventFeed } from './event-feed.ts'

/** Long enough for a glance at another tab. */
const REST_AFTER_MS = 30_000

/**
 * A browser opens only six connections to one server, and every tab's feed holds one of them: without this a seventh
 * tab would hang. A hidden tab gives its own back and goes on behind its last event when it is shown.
 */
export function restWhileHidden(feed: EventFeed, mayRun: () => boolean): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const onChange = () => {
    clearTimeout(timer)
    if (document.visibilityState === 'hidden') timer = setTimeout(() => feed.stop(), REST_AFTER_MS)
    else if (mayRun()) feed.start()
  }
  document.addEventListener('visibilitychange', onChange)
  return () => {
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', onChange)
  }
}
